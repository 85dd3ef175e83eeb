import type { FastifyInstance } from 'fastify'

export function registerPublicRoutes(
  app: FastifyInstance,
  deps: {
    version: string
    ready(): Promise<void>
    metrics(): Promise<{ contentType: string; text: string }>
  },
): void {
  void deps
  app.get('/healthz', async () => ({ status: 'ok' }))
}
