import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import type { Result } from '../../api/operations.ts'
import { refresh, useResource } from '../../api/resource.ts'
import { may } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Facts } from '../../kit/facts.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { Panel } from '../../kit/panel.tsx'
import { SecretField, TextField } from '../../kit/text-field.tsx'
import { TimeAgo } from '../../kit/time-ago.tsx'
import { run } from '../../kit/toast.tsx'

type Bucket = Result<'backupBucket.get'>

/** Where backups go: the folder of the server, or a bucket of your own. */
export function PlacePanel(props: { serviceId: string; bucketPath: string; lastWriteAt: string }) {
  const { serviceId, bucketPath, lastWriteAt } = props
  const hasBucket = bucketPath !== ''
  const params = { serviceId }
  // Without a bucket there is nothing to ask for: the answer would be that it is not found.
  const bucket = useResource('backupBucket.get', { params }, { when: hasBucket }).data.value
  const isOpen = useSignal(false)
  const lastWrite = lastWriteAt === '' ? '' : <TimeAgo at={lastWriteAt} />
  return (
    <Panel
      title="Where they go"
      isPadded
      tools={
        may('backups:manage', serviceId) && (
          <Button
            tone="quiet"
            size="small"
            onPress={() => {
              isOpen.value = true
            }}
          >
            Change
          </Button>
        )
      }
    >
      <Facts
        facts={
          hasBucket
            ? [
                ['Bucket', <code>{bucketPath}</code>],
                ['Access key', bucket?.accessKeyId && <code>{bucket.accessKeyId}</code>],
                ['Role', bucket?.iamRoleArn && <code>{bucket.iamRoleArn}</code>],
                ['Secret', bucket?.accessKeyId && 'set; never shown'],
                ['Last write', lastWrite],
              ]
            : [
                ['Place', 'the folder of the server'],
                ['Last write', lastWrite],
              ]
        }
      />
      {isOpen.value && (
        <BucketDialog
          serviceId={serviceId}
          bucket={hasBucket ? bucket : undefined}
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </Panel>
  )
}

/** Empty fields of credentials keep what is there: the server never shows the secret. */
function BucketDialog(props: { serviceId: string; bucket: Bucket | undefined; onClose: () => void }) {
  const { serviceId, bucket, onClose } = props
  const params = { serviceId }
  const form = useForm({
    bucketPath: bucket?.bucketPath ?? '',
    accessKeyId: bucket?.accessKeyId ?? '',
    secretAccessKey: '',
    iamRoleArn: bucket?.iamRoleArn ?? '',
  })
  const changed = () => {
    refresh('backupBucket.get', 'organizations.backups')
    onClose()
  }
  const save = async ({ secretAccessKey, ...rest }: typeof form.values.value) => {
    const body = { ...rest, ...(secretAccessKey === '' ? {} : { secretAccessKey }) }
    await (bucket
      ? call('backupBucket.update', { params, body })
      : call('backupBucket.create', { params, body }))
    changed()
  }
  const remove = async () => {
    const isMeant = await confirm({
      title: 'Back up into the folder of the server again?',
      text: 'Backups in the bucket stay there, can be restored, and go by their retention. The next backup is a full one.',
      verb: 'Remove the bucket',
      typedName: bucket?.bucketPath ?? '',
    })
    if (isMeant && (await run(call('backupBucket.delete', { params }), 'The bucket was not removed.')))
      changed()
  }
  return (
    <Dialog
      title="Where backups go"
      text="A bucket of your own, of Amazon S3 or anything that speaks its protocol. It is tried first: something small is written, read and removed."
      onClose={onClose}
    >
      <Form form={form} label="Bucket" onSubmit={save}>
        <TextField
          label="Bucket"
          isMono
          hint="The bucket and a folder in it: https://host:9000/bucket/folder"
          {...form.field('bucketPath')}
        />
        <TextField label="Access key id" isMono isOptional {...form.field('accessKeyId')} />
        <SecretField
          label="Secret access key"
          isOptional
          hint={bucket?.accessKeyId ? 'Set; never shown. Empty: it stays.' : 'Kept sealed, and in no answer.'}
          {...form.field('secretAccessKey')}
        />
        <TextField
          label="Role"
          isMono
          isOptional
          hint="Assumed with the key, or as whoever runs the engine."
          {...form.field('iamRoleArn')}
        />
        <div class="actions actions-end">
          {bucket && (
            <Button tone="quiet" onPress={remove}>
              Remove the bucket
            </Button>
          )}
          <Button onPress={onClose}>Cancel</Button>
          <Button submit tone="primary" isBusy={form.isSaving.value}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
