import type { Origins } from '../../ir/origin.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import type { ConnectionTarget } from '../routes/connection-target.ts';

/** Where a VirtualService sends the bytes that a service port would take. */
export interface PlacementTarget extends ConnectionTarget {
  readonly by: EffectiveVirtualService;
  readonly origins: Origins;
}
