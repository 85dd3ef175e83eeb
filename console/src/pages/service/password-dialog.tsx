import { Button } from '../../kit/button.tsx'
import { CopyLine } from '../../kit/copy.tsx'
import { Dialog } from '../../kit/dialog.tsx'

/** A password appears once, in a dialog that closes only by hand. */
export function PasswordDialog(props: {
  service: string
  user: string
  password: string
  onClose: () => void
}) {
  const { service, user, password, onClose } = props
  return (
    <Dialog
      title={`The password of ${service}`}
      text={`For the user ${user}. Keep it now: it is not shown again.`}
    >
      <CopyLine text={password} label="Copy the password" />
      <div class="actions actions-end">
        <Button tone="primary" onPress={onClose}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  )
}
