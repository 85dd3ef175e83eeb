/**
 * The tables, the same on SQLite and PostgreSQL: text for ids and JSON, integers for times (ms since 1970) and
 * flags (0 or 1). Columns exist for values that are searched or counted; the rest of a resource is one JSON
 * text.
 */
export interface Database {
  meta: { name: string; value: string }
  organizations: {
    id: string
    name: string
    tier: string
    paid: number
    service_count: number
    key_count: number
    created_at: number
  }
  keys: {
    id: string
    organization_id: string
    kind: string
    /** The key id of a management key, or the hash of a dashboard token: requests look keys up by it. */
    lookup: string
    secret_hash: string
    state: string
    expire_at: number | null
    used_at: number | null
    doc: string
    created_at: number
  }
  sessions: {
    id: string
    organization_id: string
    key_id: string
    /** Requests look sessions up by it; the secret itself is only in the cookie. */
    secret_hash: string
    ip_address: string
    user_agent: string
    created_at: number
    used_at: number
    expire_at: number
  }
  services: {
    id: string
    organization_id: string
    warehouse_id: string
    is_primary: number
    generation: number
    spec: string
    status: string
    password_hash: string
    endpoint_port: number
    /** Copied from the spec, to find the services restored from a backup. */
    restored_from: string | null
    created_at: number
    updated_at: number
  }
  service_users: {
    id: string
    service_id: string
    name: string
    role: string
    password_hash: string
    created_at: number
    updated_at: number
  }
  service_usage: { service_id: string; history: string }
  endpoint_ports: { port: number; service_id: string | null }
  pipes: {
    id: string
    organization_id: string
    service_id: string
    generation: number
    spec: string
    status: string
    /** Sealed by the secret box; requests that only show the pipe never read it. */
    secrets: string
    created_at: number
    updated_at: number
  }
  pipe_runs: {
    pipe_id: string
    resync: number
    row_count: number
    byte_count: number
    rejected_count: number
    prepared_generation: number
    delivery: string
    completed: number
  }
  pipe_lanes: {
    pipe_id: string
    lane: string
    epoch: number
    position: string | null
    sequence: number
    round: number
    updated_at: number
  }
  pipe_pending: {
    pipe_id: string
    lane: string
    token: string
    first: string
    last: string
    sequence: number
    spool: string
    source_bytes: number
  }
  backups: {
    id: string
    organization_id: string
    service_id: string
    started_at: number
    generation: number
    /** Copied from the document, to find the running backup. */
    status: string
    doc: string
  }
  backup_configurations: { service_id: string; doc: string }
  backup_buckets: {
    id: string
    organization_id: string
    service_id: string
    url: string
    is_current: number
    doc: string
    /** Sealed by the secret box; requests that only show the bucket never read it. */
    secret: string
    created_at: number
    updated_at: number
  }
  dashboards: {
    id: string
    organization_id: string
    name: string
    doc: string
    version: number
    /** The file that provisions the dashboard; null = none. */
    file: string | null
    created_at: number
    updated_at: number
  }
  dashboard_versions: {
    dashboard_id: string
    version: number
    saved_at: number
    saved_by: string
    name: string
    /** How many the version has. */
    tiles: number
    doc: string
  }
  sources: {
    id: string
    organization_id: string
    name: string
    /** The name in lower case, to compare names whatever the case. */
    name_key: string
    kind: string
    is_default: number
    service_id: string
    table_database: string
    table_name: string
    doc: string
    created_at: number
    updated_at: number
  }
  alerts: {
    id: string
    organization_id: string
    dashboard_id: string
    tile_id: string
    doc: string
    status: string
    /** Sealed by the secret box; requests that only show the alert never read it. */
    secret: string
    created_at: number
    updated_at: number
  }
  alert_history: { alert_id: string; evaluation: number; doc: string }
  named_queries: {
    id: string
    organization_id: string
    name: string
    text: string
    service_id: string | null
    created_at: number
    updated_at: number
  }
  demos: { organization_id: string; data_plane_id: string; doc: string }
  activities: {
    id: string
    organization_id: string
    service_id: string | null
    created_at: number
    doc: string
  }
  history: {
    kind: string
    id: string
    organization_id: string
    /** In seconds. */
    step: number
    start_at: number
    doc: string
  }
  work: {
    kind: string
    id: string
    generation: number
    due_at: number | null
    lease_owner: string | null
    lease_epoch: number
    lease_until: number | null
    attempts: number
    reason: string
  }
}
