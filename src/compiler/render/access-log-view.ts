import type { AccessLogIR } from '../ir/listener.ts';

/** Envoy's AccessLog message. */
export interface AccessLogView {
  readonly name: string;
  /** Envoy's AccessLogFilter; absent: everything is logged. */
  readonly filter?: object;
  readonly typed_config: object;
}

const types = 'type.googleapis.com/envoy.extensions.access_loggers';

/** The standard streams have loggers of their own: as a file each may not be one that can be opened (a socket, say). */
export function accessLogView({ path, format }: AccessLogIR): AccessLogView {
  const log_format =
    'text' in format ? { text_format_source: { inline_string: format.text } } : { json_format: format.json };
  switch (path) {
    case '/dev/stdout':
      return {
        name: 'envoy.access_loggers.stdout',
        typed_config: { '@type': `${types}.stream.v3.StdoutAccessLog`, log_format },
      };
    case '/dev/stderr':
      return {
        name: 'envoy.access_loggers.stderr',
        typed_config: { '@type': `${types}.stream.v3.StderrAccessLog`, log_format },
      };
    default:
      return {
        name: 'envoy.access_loggers.file',
        typed_config: { '@type': `${types}.file.v3.FileAccessLog`, path, log_format },
      };
  }
}
