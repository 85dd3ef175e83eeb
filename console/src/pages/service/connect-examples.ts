export interface Place {
  url: string
  host: string
  port: number
  user: string
}

export type Client = 'curl' | 'Node' | 'Python' | 'Go' | 'JDBC'

/** A first statement from each kind of client, filled in; none contains the password. */
export const examples: Record<Client, (place: Place) => string> = {
  curl: ({ url, user }) => `# asks for the password
curl ${url} -u ${user} \\
  --data-binary 'SELECT version(), uptime()'`,
  Node: ({ url, user }) => `import { createClient } from '@clickhouse/client'

const client = createClient({ url: '${url}', username: '${user}', password: process.env.PASSWORD })
const rows = await client.query({ query: 'SELECT version()', format: 'JSONEachRow' })
console.log(await rows.json())`,
  Python: ({ host, port, user }) => `import clickhouse_connect, os

client = clickhouse_connect.get_client(
    host='${host}', port=${port}, username='${user}', password=os.environ['PASSWORD'])
print(client.command('SELECT version()'))`,
  Go: ({ host, port, user }) => `conn, err := clickhouse.Open(&clickhouse.Options{
    Protocol: clickhouse.HTTP,
    Addr:     []string{"${host}:${port}"},
    Auth:     clickhouse.Auth{Username: "${user}", Password: os.Getenv("PASSWORD")},
})`,
  JDBC: ({ host, port, user }) => `jdbc:ch:http://${host}:${port}/default?user=${user}`,
}
