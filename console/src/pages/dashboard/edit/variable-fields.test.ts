import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dashboard, Variable } from '../dashboard-types.ts'
import {
  emptyFields,
  fieldsOf,
  tilesWith,
  variableOf,
  withoutVariable,
  withVariable,
} from './variable-fields.ts'

const region: Variable = {
  name: 'region',
  kind: 'list',
  values: ['north', 'south'],
  default: ['north'],
  multi: true,
}
const dashboard = {
  id: 'd',
  name: 'Shop',
  tags: [],
  tiles: [
    { id: '1', name: 'Orders', series: [{ where: 'region:$region AND x:$regions' }] },
    {
      id: '2',
      name: 'SQL',
      series: [{ where: '', sql: `SELECT 1 WHERE r = \${region} AND t = $region$x$region$` }],
    },
    { id: '3', name: 'Rest', series: [{ where: 'region:north' }] },
  ],
  variables: [region, { name: 'city', kind: 'query', sql: 'SELECT city FROM c WHERE region = $region' }],
} as unknown as Dashboard

test('a variable is the same after its form', () => {
  assert.deepEqual(variableOf(fieldsOf(region)), region)
  const query: Variable = {
    name: 'a',
    label: 'A',
    kind: 'query',
    sql: 'SELECT 1',
    dataSource: 'shop',
    default: '1',
  }
  assert.deepEqual(variableOf(fieldsOf(query)), query)
})

test('a variable carries only what belongs to its kind', () => {
  const fields = { ...emptyFields, name: 'a', values: ' x \n\ny', sql: 'SELECT 1' }
  assert.deepEqual(variableOf(fields), { name: 'a', kind: 'list', values: ['x', 'y'] })
  assert.deepEqual(variableOf({ ...fields, kind: 'text' }), { name: 'a', kind: 'text' })
})

test('texts follow a variable that gets another name', () => {
  const { tiles, variables } = withVariable(dashboard, 'region', { ...region, name: 'area' })
  assert.equal(tiles[0]?.series[0]?.where, 'region:$area AND x:$regions')
  assert.equal(tiles[1]?.series[0]?.sql, `SELECT 1 WHERE r = \${area} AND t = $region$x$region$`)
  assert.equal(variables?.[1]?.sql, 'SELECT city FROM c WHERE region = $area')
  assert.deepEqual(tilesWith(dashboard, 'region'), ['Orders', 'SQL'])
})

test('variables are added at the end, and removed', () => {
  const added = withVariable(dashboard, null, { name: 'new', kind: 'text' })
  assert.equal(added.variables?.at(-1)?.name, 'new')
  const left = withoutVariable(withoutVariable(dashboard, 'city'), 'region')
  assert.equal('variables' in left, false)
})
