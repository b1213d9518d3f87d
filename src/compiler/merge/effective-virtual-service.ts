import type { JsonPath } from '../../diagnostics/span.ts';
import type { HttpRoute, VirtualService } from '../../policy/virtual-service.ts';

/** One entry of `http`, perhaps of a delegate and merged with the entry that delegates to it. */
export interface HttpBlock {
  /** Hosts without a dot are of the owner's namespace. */
  readonly route: HttpRoute;
  /** The object in which its action stands, and where. */
  readonly owner: VirtualService;
  readonly path: JsonPath;
}

/** A VirtualService with the routes of its delegates in their places. Its own `spec.http` is as written. */
export interface EffectiveVirtualService extends VirtualService {
  /** In order of evaluation. */
  readonly blocks: readonly HttpBlock[];
}
