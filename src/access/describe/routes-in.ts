import type { MeshWorkload } from '../../contracts/mesh-file.ts';
import { noOrigins, type OriginsFile } from '../../contracts/origins-file.ts';
import type { RouteIn } from '../description.ts';
import type { Route, RouteMatch, RouteTable } from '../lift/route.ts';
import type { LiftedProxy } from '../lift-proxy.ts';
import { labelOf, text } from '../reason/condition-words.ts';
import { fragmentOf } from '../reason/deciders.ts';

/** Where requests go that arrive: at a gateway by its route tables, else from service ports to the application. */
export function routesInOf(
  { ports, role }: MeshWorkload,
  proxy: LiftedProxy | undefined,
  origins: OriginsFile = noOrigins,
): readonly RouteIn[] {
  if (role === 'router') return [...(proxy?.routes.values() ?? [])].flatMap((table) => routesOf(table, origins));
  return ports.map(({ service, port, targetPort, protocol }) => ({
    match: `${service}:${port} (${protocol})`,
    action: `port ${targetPort} of the application`,
    decidedBy: [],
    overrode: [],
  }));
}

function routesOf(table: RouteTable, origins: OriginsFile): readonly RouteIn[] {
  if (table.gap !== undefined) {
    const action = `not known: ${table.gap} of the configuration is not understood`;
    return [{ match: `route table ${table.name}`, action, decidedBy: [], overrode: [] }];
  }
  return table.virtualHosts.flatMap(({ domains, routes }) =>
    routes.map((route) => {
      const { decidedBy = [], overrode = [] } = fragmentOf(origins, table.name, route.at) ?? {};
      const match = [`host ${domains.join(', ')}`, ...matchWords(route.match)].join(', ');
      return { match, action: actionWords(route), decidedBy, overrode };
    }),
  );
}

function matchWords({ path, headers, parameters }: RouteMatch): readonly string[] {
  const isAny = path.kind === 'prefix' && path.value === '/';
  return [
    ...(isAny ? [] : [`path ${text(path)}`]),
    ...headers.map(({ name, match, isInverted }) => {
      const wanted = `${labelOf(name)} ${match === 'present' ? 'present' : text(match)}`;
      return isInverted ? `not (${wanted})` : wanted;
    }),
    ...parameters.map(({ name, match }) => `parameter ${name} ${match === 'present' ? 'present' : text(match)}`),
  ];
}

function actionWords({ action, gap }: Route): string {
  if (gap !== undefined) return `not known: ${gap} of the configuration is not understood`;
  if (action.kind !== 'forward') return `${action.kind === 'answer' ? 'answers' : 'redirects with'} ${action.status}`;
  const isOne = action.clusters.length === 1;
  return action.clusters.map(({ name, weight }) => (isOne ? name : `${name} (weight ${weight})`)).join(', ');
}
