import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { granary } from '../../test/support/cli-rig.ts'

const script = async (shell: string) => (await granary('http://127.0.0.1:1', ['completion', shell])).stdout

function has(program: string): boolean {
  try {
    execFileSync(program, ['-c', 'exit 0'])
    return true
  } catch {
    return false
  }
}

test('bash completes nouns, verbs and options, of the commands that there are', async () => {
  const complete = (...words: string[]) => {
    const line = `${text}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _granary; echo "\${COMPREPLY[*]}"`
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ')
  }
  const text = await script('bash')
  assert.deepEqual(complete('granary', 'serv'), ['services'])
  assert.deepEqual(complete('granary', 'services', 'users', 'cre'), ['create'])
  assert.deepEqual(complete('granary', 'services', 'users', 'create', 'a name', '--ro'), ['--role'])
  assert.ok(complete('granary', 'query', '--').includes('--format'))
  assert.ok(complete('granary', 'completion', '').includes('fish'))
})

test('the scripts for zsh and fish hold the same words, and are read by these shells where there are any', async () => {
  for (const shell of ['zsh', 'fish'] as const) {
    const text = await script(shell)
    for (const word of ['cancel-restore', '--no-idle', 'completion', "' services users'"])
      assert.ok(text.includes(word), word)
    if (has(shell)) execFileSync(shell, ['-n'], { input: text })
  }
})
