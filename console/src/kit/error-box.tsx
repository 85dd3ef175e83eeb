import type { ApiError } from '../api/api-error.ts'
import { raised } from '../lib/words.ts'
import './error-box.css'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Icon } from './icon.tsx'

/** In place of the part that failed: the server's text, the id of the request, and another try. */
export function ErrorBox({ error, retry }: { error: ApiError; retry?: () => unknown }) {
  return (
    <div class="error-box" data-hue="bad" role="alert">
      <Icon name="failed" />
      <p class="error-box-text">{raised(error.message)}</p>
      <span class="actions">
        {retry && (
          <Button size="small" icon="refresh" onPress={retry}>
            Try again
          </Button>
        )}
        {error.requestId !== '' && (
          <span class="error-box-id">
            request <span class="mono">{error.requestId}</span>
            <CopyButton text={error.requestId} label="Copy the request id" />
          </span>
        )}
      </span>
    </div>
  )
}
