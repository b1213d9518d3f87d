/**
 * Envoy's `--log-format` for lines like the agent's own: the console form, or one JSON object a line; the scope is `envoy`
 * with Envoy's component. Undefined where the bootstrap brings a format of its own: Envoy refuses to have both
 * (envoyproxy.io, config/bootstrap/v3 ApplicationLogConfig). Envoy writes local time, which `envoyZone` makes UTC.
 */
export function envoyLogFormat(isJson: boolean, bootstrap: string): string | undefined {
  if (/\bapplication_?log_?config\b/i.test(bootstrap)) return undefined;
  const time = '%Y-%m-%dT%T.%fZ';
  // `%_` and `%j` escape what would begin another line.
  return isJson ? `{"level":"%l","time":"${time}","scope":"envoy %n","msg":"%j"}` : `${time}\t%l\tenvoy %n\t%_`;
}

/** For Envoy's environment: its lines stand among the agent's, which are in UTC wherever the machine is. */
export const envoyZone = { TZ: 'UTC' };
