/** A setting that nothing else uses: its value tells the replica's connections apart in `system.processes`. */
export const tagSetting = 'stream_like_engine_insert_queue'

/**
 * Settings that clients cannot change, with their fixed values: they name files, run SQL in other ways or lift rights.
 * The engine enforces them by constraints, but not in the settings of a table or a dictionary, nor for DEFAULT, so the
 * filter refuses them as well.
 */
export const fixedSettings: ReadonlyMap<string, string> = new Map([
  // These run another query language, or SQL in a string.
  ['allow_experimental_eval_table_function', '0'],
  ['dialect', 'clickhouse'],
  ['ast_fuzzer_any_query', '0'],
  ['ast_fuzzer_runs', '0'],
  // These could create views that run without a rights check.
  ['default_materialized_view_sql_security', 'DEFINER'],
  ['default_normal_view_sql_security', 'INVOKER'],
  ['default_view_definer', 'CURRENT_USER'],
  // These read the environment, secrets and credentials of this process.
  ['dynamic_disk_allow_from_env', '0'],
  ['dynamic_disk_allow_from_zk', '0'],
  ['dynamic_disk_allow_include', '0'],
  ['format_display_secrets_in_show_and_select', '0'],
  ['s3_allow_server_credentials_in_user_queries', '0'],
  // Schemas are given as text, not as file names.
  ['format_schema_source', 'string'],
  // These name files.
  ['format_template_resultset', ''],
  ['format_template_row', ''],
  ['input_format_record_errors_file_path', ''],
  ['output_format_schema', ''],
  ['rename_files_after_processing', ''],
  // Values from any source (a URL, a string) may contain calls of any function, including `file(…)`.
  ['input_format_values_deduce_templates_of_expressions', '0'],
  ['input_format_values_interpret_expressions', '0'],
  // The library writes to the output of this process.
  ['send_logs_level', 'fatal'],
  [tagSetting, ''],
])

/** Settings whose values are SQL, or lists of columns that may hold expressions. */
export const sqlSettings: ReadonlySet<string> = new Set([
  'additional_result_filter',
  'additional_table_filters',
  'parallel_replicas_custom_key',
  'schema_inference_hints',
])

/** Names that columns may also have; where one is a setting, only the engine's constraint enforces it. */
export const plainWords: ReadonlySet<string> = new Set(['dialect'])
