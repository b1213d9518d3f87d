import type { Settings } from '../../../config/settings.ts';
import type { OutboundTrafficPolicyMode } from '../../../policy/sidecar.ts';
import type { ClientScope } from '../../merge/effective.ts';

/** What becomes of connections that no service takes: the client's Sidecar says it, else the mesh configuration. */
export function unknownDestinations(
  { outboundTrafficPolicy }: Pick<ClientScope, 'outboundTrafficPolicy'>,
  settings: Settings,
): OutboundTrafficPolicyMode {
  return outboundTrafficPolicy ?? settings.outboundTrafficPolicy;
}
