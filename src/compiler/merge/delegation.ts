import type { Settings } from '../../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../../diagnostics/bag.ts';
import type { HttpRoute, VirtualService } from '../../policy/virtual-service.ts';
import { nameOf } from '../topology/object-name.ts';
import { isVisible } from '../topology/visibility.ts';
import { mergeDelegate } from './delegate-block.ts';
import type { EffectiveVirtualService, HttpBlock } from './effective-virtual-service.ts';
import { IdentityMap } from './identity-map.ts';

/**
 * The VirtualServices that have hosts, each with its routes; a delegate's routes stand where another names it, one level
 * deep. Without PILOT_ENABLE_VIRTUAL_SERVICE_DELEGATE whoever delegates is left out as a whole. What has no effect is
 * reported. The same objects give the same results.
 */
export function withDelegates(
  services: readonly VirtualService[],
  settings: Settings,
  bag: DiagnosticBag,
): readonly EffectiveVirtualService[] {
  const delegates = new Map(services.filter(isDelegate).map((service) => [nameOf(service), service]));
  const used = new Set<string>();
  const whole = services.flatMap((service) => {
    if (isDelegate(service)) return [];
    const first = (service.spec.http ?? []).findIndex(({ delegate }) => delegate !== undefined);
    if (first < 0) return [plain(service)];
    for (const name of delegateNames(service)) used.add(name);
    if (!settings.virtualServiceDelegates) {
      const span = service.document.spanOf(['spec', 'http', first, 'delegate'], 'key');
      bag.report('delegation-switched-off', span, { name: nameOf(service) });
      return [];
    }
    return [included(service, delegatesOf(service, delegates, settings, bag), settings, bag)];
  });
  for (const [name, delegate] of delegates) {
    if (!used.has(name)) bag.report('delegate-without-root', delegate.document.spanOf(['metadata', 'name']), { name });
  }
  return whole;
}

function isDelegate({ spec }: VirtualService): boolean {
  return spec.hosts === undefined || spec.hosts.length === 0;
}

const plainServices = new WeakMap<VirtualService, EffectiveVirtualService>();

function plain(service: VirtualService): EffectiveVirtualService {
  let whole = plainServices.get(service);
  if (whole === undefined) {
    whole = { ...service, blocks: (service.spec.http ?? []).map((_, i) => ownBlock(service, i)) };
    plainServices.set(service, whole);
  }
  return whole;
}

/** For each entry of `http` the delegate that it names; undefined where it names none that it may. */
function delegatesOf(
  root: VirtualService,
  delegates: ReadonlyMap<string, VirtualService>,
  settings: Settings,
  bag: DiagnosticBag,
): readonly (VirtualService | undefined)[] {
  return (root.spec.http ?? []).map(({ delegate }, i) => {
    if (delegate === undefined) return undefined;
    const name = delegateName(root, delegate);
    const found = delegates.get(name);
    const exportTo = found?.spec.exportTo?.length ? found.spec.exportTo : settings.defaultVirtualServiceExportTo;
    if (found !== undefined && isVisible(exportTo, found.namespace, root.namespace)) return found;
    const span = root.document.spanOf(['spec', 'http', i, 'delegate']);
    const reason =
      found === undefined ? 'there is none of this name without hosts' : `it is not exported to "${root.namespace}"`;
    bag.report('unknown-delegate', span, { name, reason });
    return undefined;
  });
}

function delegateNames(root: VirtualService): readonly string[] {
  return (root.spec.http ?? []).flatMap(({ delegate }) =>
    delegate === undefined ? [] : [delegateName(root, delegate)],
  );
}

function delegateName(root: VirtualService, { name, namespace }: NonNullable<HttpRoute['delegate']>): string {
  return nameOf({ namespace: namespace ?? root.namespace, name });
}

const nobody = {};

/** Results live as long as the objects that they were made from. */
const includedServices = new IdentityMap<{
  readonly whole: EffectiveVirtualService;
  readonly diagnostics: readonly Diagnostic[];
}>();

function included(
  root: VirtualService,
  delegates: readonly (VirtualService | undefined)[],
  settings: Settings,
  bag: DiagnosticBag,
): EffectiveVirtualService {
  const keys = [root, settings, ...delegates.map((delegate) => delegate ?? nobody)];
  const { whole, diagnostics } = includedServices.get(keys, () => {
    const own = new DiagnosticBag();
    const blocks = (root.spec.http ?? []).flatMap((route, i): readonly HttpBlock[] => {
      const delegate = delegates[i];
      if (route.delegate === undefined) return [ownBlock(root, i)];
      return delegate === undefined ? [] : mergeDelegate({ root, route }, delegate, settings.clusterDomain, own);
    });
    return { whole: { ...root, blocks }, diagnostics: own.all };
  });
  bag.addAll(diagnostics);
  return whole;
}

function ownBlock(owner: VirtualService, index: number): HttpBlock {
  return { route: owner.spec.http?.[index] ?? {}, owner, path: ['spec', 'http', index] };
}
