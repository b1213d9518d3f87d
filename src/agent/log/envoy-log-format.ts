/**
 * Envoy's `--log-format` for lines like the agent's own: the console form, or one JSON object a line; the scope is `envoy`
 * with Envoy's component. Undefined where the bootstrap brings a format of its own: Envoy refuses to have both
 * (envoyproxy.io, config/bootstrap/v3 ApplicationLogConfig). Envoy writes local time, and only where that is UTC says so
 * with a `Z`, elsewhere with the zone's distance.
 */
export function envoyLogFormat(isJson: boolean, bootstrap: string, isUtc = isZoneUtc()): string | undefined {
  if (/\bapplication_?log_?config\b/i.test(bootstrap)) return undefined;
  const time = `%Y-%m-%dT%T.%f${isUtc ? 'Z' : '%z'}`;
  // `%_` and `%j` escape what would begin another line.
  return isJson ? `{"level":"%l","time":"${time}","scope":"envoy %n","msg":"%j"}` : `${time}\t%l\tenvoy %n\t%_`;
}

/** In summer and in winter. */
function isZoneUtc(): boolean {
  return [0, 6].every((month) => new Date(2026, month).getTimezoneOffset() === 0);
}
