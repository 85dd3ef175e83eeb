import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { planConfiguration } from '../../domain/backup/configuration.ts'
import { planDashboard } from '../../domain/dashboard/rules.ts'
import { organizationTiers } from '../../domain/organization/tiers.ts'
import { planCreate } from '../../domain/pipe/create.ts'
import { planPatch, planScaling, planSettings } from '../../domain/pipe/patch.ts'
import { secretPresence } from '../../domain/pipe/secrets.ts'
import { planService } from '../../domain/service/create.ts'
import { planUser } from '../../domain/service/user.ts'
import { isUuid } from '../../lib/ids.ts'
import { isIpSource } from '../../lib/ip-list.ts'
import { createOpenApi } from './document.ts'
import { exampleRequests } from './examples.ts'
import type { OpenApiMedia } from './types.ts'

for (const api of ['management', 'dashboards'] as const) {
  const document = createOpenApi(api, '0.0.0')
  const ajv = createAjv()
  ajv.addSchema(document, 'openapi')

  describe(`examples of ${api}`, () => {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { operationId, requestBody, responses }] of Object.entries(item)) {
        const place = `/paths/${pointer(path)}/${method}`

        if (requestBody) {
          it(`${operationId} has requests that its body schema takes`, () => {
            const media = requestBody.content['application/json']
            assert.ok(Object.keys(media?.examples ?? {}).length > 0)
            check(`${place}/requestBody/content/application~1json`, media)
          })
        }
        it(`${operationId} has an answer that its schema takes`, () => {
          const success = responses['200']
          assert.ok(success && 'content' in success)
          for (const [type, media] of Object.entries(success.content)) {
            assert.notEqual(media.example, undefined)
            check(`${place}/responses/200/content/${pointer(type)}`, media)
          }
        })
      }
    }

    for (const [name, { content }] of Object.entries(document.components.responses)) {
      it(`${name} has an error that its schema takes`, () => {
        const media = content['application/json']
        assert.notEqual(media?.example, undefined)
        check(`/components/responses/${name}/content/application~1json`, media)
      })
    }
  })

  /** Validates against the document itself, so that its references are followed too. */
  function check(place: string, media: OpenApiMedia | undefined): void {
    const validate = ajv.compile({ $ref: `openapi#${place}/schema` })
    const values = Object.values(media?.examples ?? {}).map(({ value }) => value)
    if (media?.example !== undefined) values.push(media.example)
    for (const value of values) assert.ok(validate(value), `${place}: ${ajv.errorsText(validate.errors)}`)
  }
}

describe('example requests keep the rules of the domain', () => {
  it('services, in every tier', () => {
    for (const { value } of Object.values(exampleRequests['services.create'])) {
      for (const tier of organizationTiers) {
        const planned = planService(value, { organization: { tier, paid: false }, isPrimary: true })
        assert.ok('spec' in planned, JSON.stringify(planned))
      }
    }
  })

  it('users of a service', () => {
    for (const { value } of Object.values(exampleRequests['serviceUsers.create']))
      assert.ok('user' in planUser(value), value.name)
  })

  it('pipes of every kind', () => {
    for (const { value } of Object.values(exampleRequests['pipes.create'])) {
      const planned = planCreate(value)
      assert.ok(planned.ok, JSON.stringify(planned))
    }
  })

  it('changes of a pipe', () => {
    const created = planCreate(exampleRequests['pipes.create'].kafka.value)
    assert.ok(created.ok)
    const { spec, secrets } = created.plan
    for (const { value } of Object.values(exampleRequests['pipes.update'])) {
      assert.ok(planPatch(spec, secretPresence(secrets), value).ok)
    }
    for (const { value } of Object.values(exampleRequests['pipes.updateSettings'])) {
      assert.ok(planSettings(spec, value).ok)
    }
    assert.ok(planScaling(spec, exampleRequests['pipes.updateScaling'].larger.value).ok)
  })

  it('backups and dashboards', () => {
    const stored = { backupPeriodInHours: 6, backupRetentionPeriodInHours: 24, backupStartTime: '' }
    const change = exampleRequests['backupConfiguration.update'].daily.value
    assert.ok('configuration' in planConfiguration(stored, change))
    for (const { value } of Object.values(exampleRequests['dashboards.create'])) {
      assert.ok('dashboard' in planDashboard(value, { nowMs: 0, newTileId: () => 'id' }))
    }
  })
})

/** With the formats that the server checks. `strict` is off: a document has keywords that are not JSON Schema. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const add = addFormatsModule as unknown as (ajv: Ajv2020, formats: string[]) => void
  add(ajv, ['date-time', 'date'])
  ajv.addFormat('uuid', isUuid)
  ajv.addFormat('ip-source', isIpSource)
  ajv.addFormat('iso-date-or-time', (text) => !Number.isNaN(Date.parse(text)))
  return ajv
}

function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
