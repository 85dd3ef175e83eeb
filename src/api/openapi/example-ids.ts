/** The ids that all examples of the documents share, so that the examples fit together. */
export const exampleIds = {
  request: '6f1c9f0e-8a53-4b0e-9d3a-2f4c5b7a1e90',
  organization: '0b7e3d52-4c1f-4d8e-9a66-51c2f0d9b3aa',
  service: '3f0d6b1c-7e42-4a95-8b1d-9c5e2a7f4d10',
  user: 'a3c65c29-74f1-4e5b-9d0a-8b7e6f5d4c3b',
  warehouse: '9a2c4e6f-1b3d-4f5a-8c7e-0d1f2a3b4c5d',
  pipe: 'c81e728d-9d4c-4f63-a067-f89cc14862c1',
  backup: '7d5f3b21-6a94-4e0c-b8d7-1f2e3c4a5b60',
  bucket: 'b2d4f6a8-0c1e-4a3b-9d5f-7e6c8b0a1d2f',
  key: 'e4a1b2c3-d4e5-4f60-8172-93a4b5c6d7e8',
  session: 'd2c1b0a9-8f7e-4d6c-8b5a-4f3e2d1c0b9a',
  activity: '5b8c7d6e-2f1a-4b3c-9d4e-6f7a8b9c0d1e',
  query: '8c6f0d0e-2f1a-4b3c-9d4e-6f7a8b9c0d1e',
  namedQuery: '4d3c2b1a-0f9e-4d8c-b7a6-5f4e3d2c1b0a',
  dashboard: '66f2c1d0a9b8e7f6c5d4b3a2',
  tile: '66f2c1d0a9b8e7f6c5d4b3a3',
  source: '66f2c1d0a9b8e7f6c5d4b3a4',
  alert: '66f2c1d0a9b8e7f6c5d4b3a5',
} as const

/** When everything in the examples was created, in milliseconds since 1970: 2026-03-02T09:30:00Z. */
export const exampleTimeMs = Date.UTC(2026, 2, 2, 9, 30)
