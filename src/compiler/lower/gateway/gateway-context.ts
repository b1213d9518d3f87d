import type { GatewayTopology } from '../../../config/gateway-topology.ts';
import type { Settings } from '../../../config/settings.ts';
import type { AlpnOverrideIR } from '../../ir/listener.ts';
import type { RouteConfigurationIR } from '../../ir/route.ts';
import type { EffectiveVirtualService } from '../../merge/effective-virtual-service.ts';
import type { PolicyFilters } from '../policy-filters.ts';
import type { RouteContext } from '../routes/route-context.ts';
import type { GatewayServer } from './server.ts';

/** What the listeners of one gateway workload are made from. */
export interface GatewayContext {
  readonly settings: Settings;
  readonly filters: PolicyFilters;
  readonly topology: GatewayTopology;
  /** All of the workload, in order of precedence. */
  readonly servers: readonly GatewayServer[];
  readonly tables: ReadonlyMap<string, RouteConfigurationIR>;
  /** VirtualServices of a Gateway (`<namespace>/<name>`), oldest first. */
  readonly boundTo: (gateway: string) => readonly EffectiveVirtualService[];
  readonly routeContext: (server: GatewayServer) => RouteContext;
  readonly alpnOverrideFor: (table: RouteConfigurationIR) => AlpnOverrideIR | undefined;
}
