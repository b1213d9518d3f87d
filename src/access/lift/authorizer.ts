import { liftMetadataMatch, type MetadataMatch } from './matchers.ts';
import type { Message } from './message.ts';

/** An external service that is asked about a request or a connection. */
export interface Authorizer {
  readonly name: string;
  /** It is asked only if an earlier filter has left this; absent: always. */
  readonly condition: MetadataMatch | undefined;
  readonly allowsWhenAway: boolean;
  /** Status of the answer if it is away. */
  readonly statusWhenAway: number;
}

/** Envoy's `ExtAuthz`, of the HTTP or the network filter. */
export function liftAuthorizer(message: Message): Authorizer {
  const isHttp = message.type.includes('.http.');
  const onError = isHttp && message.has('status_on_error');
  return {
    name: message.text('stat_prefix'),
    condition: message.has('filter_enabled_metadata')
      ? liftMetadataMatch(message.message('filter_enabled_metadata', 'envoy.type.matcher.v3.MetadataMatcher'))
      : undefined,
    allowsWhenAway: message.flag('failure_mode_allow'),
    statusWhenAway:
      (onError ? message.message('status_on_error', 'envoy.type.v3.HttpStatus').number('code') : 0) || 403,
  };
}
