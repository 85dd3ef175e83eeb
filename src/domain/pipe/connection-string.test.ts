import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isConnectionString, isMasked, maskConnectionString } from './connection-string.ts'

test('masks keys and signatures, keeps what says where the account is', () => {
  assert.equal(
    maskConnectionString(
      'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=a+b/c==;EndpointSuffix=core.windows.net',
    ),
    'DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=***;EndpointSuffix=core.windows.net',
  )
  assert.equal(
    maskConnectionString('BlobEndpoint=https://acme.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=x'),
    'BlobEndpoint=https://acme.blob.core.windows.net/;SharedAccessSignature=***',
  )
})

test('hides an endpoint that carries a signature or a user', () => {
  assert.equal(maskConnectionString('AccountName=a;BlobEndpoint=https://h/?sig=x'), 'AccountName=a;***')
  assert.equal(maskConnectionString('AccountName=a;BlobEndpoint=https://u:p@h/'), 'AccountName=a;***')
})

test('only names known to be harmless keep their value', () => {
  const names = ['AccountKey', 'accountkey', 'SharedAccessKey', 'sig', 'Password', 'whatever', 'MARKER']
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom('', ' ', ';', '='), (name, gap) => {
      const masked = maskConnectionString(`AccountName=a;${gap}${name}=MARKER${gap}MARKER`)
      assert.doesNotMatch(masked, /MARKER/)
      assert.ok(isMasked(masked))
    }),
  )
})

test('knows a connection string, and a masked one', () => {
  assert.ok(isConnectionString('AccountName=acme;AccountKey=x==;'))
  assert.ok(isConnectionString('UseDevelopmentStorage=true'))
  for (const text of ['', 'c2VjcmV0', 'AccountKey=x', 'AccountName=;AccountKey=x', 'AccountName=a;loose']) {
    assert.equal(isConnectionString(text), false, text)
  }
  assert.equal(isMasked('AccountName=acme;AccountKey=x'), false)
  assert.ok(isMasked('AccountName=acme;AccountKey=***'))
})
