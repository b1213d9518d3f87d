import type { RequestRoute, StandardTlsRoute } from '../../policy/gateway-api.ts';
import type { Attachment, ParentOutcome } from './attachment.ts';
import type { BackendFault } from './backends.ts';
import type { ServedListener } from './listeners.ts';
import type { FoundGateways } from './served-gateways.ts';

/** A route of any kind. */
export type StandardRoute = RequestRoute | StandardTlsRoute;

/** What became of the objects of the Gateway API in a compilation. Their status is made of it. */
export interface StandardOutcome {
  readonly gateways: FoundGateways;
  readonly listeners: readonly ServedListener[];
  /** Of each route, one for each of its references, in their order. */
  readonly parents: ReadonlyMap<StandardRoute, readonly ParentOutcome[]>;
  /** Those in force: older routes have taken the host names that are theirs. */
  readonly attachments: readonly Attachment<StandardRoute>[];
  /** Backends of each route that cannot be used. */
  readonly faults: ReadonlyMap<StandardRoute, readonly BackendFault[]>;
}

/** The outcome where there are no such objects. */
export const noStandardOutcome: StandardOutcome = {
  gateways: { served: new Map(), unserved: new Map() },
  listeners: [],
  parents: new Map(),
  attachments: [],
  faults: new Map(),
};
