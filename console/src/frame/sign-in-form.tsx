import { useSignal } from '@preact/signals'
import { type Credential, signIn } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { Form, useForm } from '../kit/form.tsx'
import { Segment } from '../kit/segment.tsx'
import { SecretField, TextField } from '../kit/text-field.tsx'

/** Key id and secret, or a dashboard token. A wrong one is said by the form, and the fields keep their content. */
export function SignInForm({ onDone }: { onDone?: () => void }) {
  const kind = useSignal<'key' | 'token'>('key')
  const form = useForm(
    { keyId: '', keySecret: '', token: '' },
    {
      checks: {
        keyId: (value) => (kind.value === 'key' && value === '' ? 'Enter the id of the key.' : null),
        keySecret: (value) => (kind.value === 'key' && value === '' ? 'Enter the secret of the key.' : null),
        token: (value) => (kind.value === 'token' && value === '' ? 'Enter the token.' : null),
      },
    },
  )
  const submit = async ({ keyId, keySecret, token }: { keyId: string; keySecret: string; token: string }) => {
    const credential: Credential = kind.value === 'key' ? { keyId, keySecret } : { token }
    await signIn(credential)
    onDone?.()
  }
  // A field that is left empty is not wrong yet: only the button checks it.
  const { onLeave: _id, ...keyId } = form.field('keyId')
  const { onLeave: _secret, ...keySecret } = form.field('keySecret')
  const { onLeave: _token, ...token } = form.field('token')
  return (
    <Form form={form} label="Sign in" onSubmit={submit}>
      <Segment
        label="Sign in with"
        isFull
        value={kind.value}
        onChange={(value) => {
          kind.value = value
        }}
        options={[
          { value: 'key', name: 'Key', icon: 'key' },
          { value: 'token', name: 'Dashboard token', icon: 'dashboard' },
        ]}
      />
      {kind.value === 'key' ? (
        <>
          <TextField label="Key id" isMono autocomplete="username" {...keyId} />
          <SecretField label="Key secret" autocomplete="current-password" {...keySecret} />
        </>
      ) : (
        <SecretField label="Token" autocomplete="current-password" {...token} />
      )}
      <Button submit tone="primary" size="large" isBusy={form.isSaving.value}>
        Sign in
      </Button>
    </Form>
  )
}
