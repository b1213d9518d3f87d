import type { AccessLogIR } from '../ir/listener.ts';
import { type AccessLogView, accessLogView } from './access-log-view.ts';
import { accessLogServiceView } from './reports-view.ts';

/** What a filter says of its logs: a file or stream, and the cluster of a service that is sent each entry. */
export interface LoggedIR {
  readonly accessLog?: AccessLogIR | undefined;
  readonly accessLogCluster?: string | undefined;
  readonly statPrefix: string;
}

/** The logs of a filter, in a field that is absent where there is none. */
export interface AccessLogsView {
  readonly accessLogs?: readonly AccessLogView[];
}

/** All logs that a filter writes: the file first, then the service. */
export function accessLogViews(
  kind: 'http' | 'tcp',
  { accessLog, accessLogCluster, statPrefix }: LoggedIR,
): AccessLogView[] {
  return [
    ...(accessLog === undefined ? [] : [accessLogView(accessLog)]),
    ...(accessLogCluster === undefined ? [] : [accessLogServiceView(kind, accessLogCluster, statPrefix)]),
  ];
}

/** The same as a field of a view. */
export function accessLogsOf(kind: 'http' | 'tcp', logged: LoggedIR): AccessLogsView {
  const accessLogs = accessLogViews(kind, logged);
  return accessLogs.length === 0 ? {} : { accessLogs };
}
