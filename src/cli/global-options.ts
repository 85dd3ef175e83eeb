import { Option } from 'commander'

/** What every command takes. */
export const globalOptions = [
  new Option('--json', 'print the result exactly as the API answers it'),
  new Option('-q, --quiet', 'no progress and no warnings'),
  new Option('--url <url>', 'address of the server'),
  new Option('--key <id:secret>', 'key to use'),
  new Option('--token <token>', 'dashboard token to use'),
  new Option('--organization <id>', 'organization; default: the one of the key'),
  new Option('--data-dir <path>', 'data directory of the server, for its credentials.json'),
]
