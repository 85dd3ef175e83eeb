import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unquote } from './literals.ts'

test('escapes mean what they mean to the engine', () => {
  const meant: [string, string][] = [
    ["'a''b'", "a'b"],
    ['"a""b\'\'c"', "a\"b''c"],
    ['`a``b`', 'a`b'],
    ["'\\a\\e\\v\\/\\\"'", '\x07\x1b\v/"'],
    ["'100\\% \\d'", '100\\% \\d'],
    ["'a\\Nb'", 'ab'],
    ["'\\x41\\xc3\\xa9'", 'Aé'],
    // Characters that are not digits count as 255; a multi-byte character may be cut in its middle.
    ["'\\x7Z\\xZ'", 'o\ufffd'],
    ["'\\xéa'", '\ufffda'],
    ["'\\x\\'1'", '\ufffd1'],
    ["'\\=\\u0041\\X41'", '=\\u0041\\X41'],
    ["x'53454c'", 'SEL'],
    ["X'a4B'", '\nK'],
    ["b'101000001'", '\x01A'],
    ["B''", ''],
    ["'\\\n'", '\n'],
    ["''''", "'"],
    ["''", ''],
    ["$$a'b$$", "a'b"],
    ['$t$a$$b$t$', 'a$$b'],
    ["‘it's’", "it's"],
    ['“a”', 'a'],
    ['plain', 'plain'],
    ['$x', '$x'],
    ['$$', '$$'],
    ["'", "'"],
  ]
  for (const [token, value] of meant) assert.equal(unquote(token), value, token)
})
