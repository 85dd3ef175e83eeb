const file = (body: string): string => `syntax = "proto3"; package google.protobuf; ${body}`
const wrapper = (name: string, type: string): string => `message ${name}Value { ${type} value = 1; }`

/** The files that every Protobuf compiler brings along, and registries do not have. */
export const wellKnownFiles: ReadonlyMap<string, string> = new Map([
  ['google/protobuf/timestamp.proto', file('message Timestamp { int64 seconds = 1; int32 nanos = 2; }')],
  ['google/protobuf/duration.proto', file('message Duration { int64 seconds = 1; int32 nanos = 2; }')],
  ['google/protobuf/empty.proto', file('message Empty {}')],
  ['google/protobuf/any.proto', file('message Any { string type_url = 1; bytes value = 2; }')],
  ['google/protobuf/field_mask.proto', file('message FieldMask { repeated string paths = 1; }')],
  [
    'google/protobuf/wrappers.proto',
    file(
      [
        ...[wrapper('Double', 'double'), wrapper('Float', 'float'), wrapper('Int64', 'int64')],
        ...[wrapper('UInt64', 'uint64'), wrapper('Int32', 'int32'), wrapper('UInt32', 'uint32')],
        ...[wrapper('Bool', 'bool'), wrapper('String', 'string'), wrapper('Bytes', 'bytes')],
      ].join(' '),
    ),
  ],
])
