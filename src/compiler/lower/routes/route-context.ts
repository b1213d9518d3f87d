import type { Settings } from '../../../config/settings.ts';
import type { ClientScope } from '../../merge/effective.ts';
import type { Destinations } from './destinations.ts';

/** Whose requests the routes are for, and what they may go to. */
export interface RouteContext {
  /** `mesh`, or `<namespace>/<name>` of the Gateway that listens. */
  readonly gateway: string;
  /** Port of the service at a sidecar, of the server at a gateway. */
  readonly listenPort: number;
  readonly client: Pick<ClientScope, 'namespace' | 'labels'>;
  readonly destinations: Destinations;
  readonly settings: Settings;
}
