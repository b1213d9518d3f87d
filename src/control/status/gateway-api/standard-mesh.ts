import { gatewayProxies } from '../../../compiler/gateway-proxies.ts';
import type { Snapshot } from '../../../compiler/snapshot.ts';
import type { Workload } from '../../../compiler/topology/model.ts';
import { type GatewayClass, type StandardGateway, standardGatewayKind } from '../../../policy/gateway-api.ts';
import { ownControllerOf } from '../../../policy/gateway-controllers.ts';
import type { MeshObject } from '../../../policy/object.ts';

type Outcome = Snapshot['standard'];

/** What was compiled, as far as the status of objects of the Gateway API depends on it. */
export type CompiledStandard = Pick<Snapshot, 'objects' | 'standard' | 'topology' | 'settings'>;

/** A compiled mesh, with its objects of the Gateway API by name. */
export class StandardMesh {
  readonly outcome: Outcome;
  readonly #compiled: CompiledStandard;
  readonly #frozen: ReadonlySet<string>;
  readonly #classes: readonly GatewayClass[];
  readonly #objects: ReadonlyMap<string, MeshObject<string>>;
  readonly #attached = new Map<Outcome['listeners'][number], Set<MeshObject<string>>>();

  /** `frozen` are the proxies (`<namespace>/<name>`) that keep what they had. */
  constructor(compiled: CompiledStandard, frozen: ReadonlySet<string>) {
    this.#compiled = compiled;
    this.#frozen = frozen;
    this.outcome = compiled.standard;
    this.#classes = compiled.objects.filter((it): it is GatewayClass => it.kind === 'GatewayClass');
    const asked = compiled.objects.filter(({ kind }) => kind === standardGatewayKind || kind.endsWith('Route'));
    this.#objects = new Map(asked.map((it) => [`${it.kind}/${it.namespace}/${it.name}`, it]));
    for (const { listener, route } of this.outcome.attachments) {
      const routes = this.#attached.get(listener) ?? new Set();
      this.#attached.set(listener, routes.add(route));
    }
  }

  /** The name under which Gateways of a class are served here; undefined: they are not. */
  controllerOf(className: unknown): string | undefined {
    return typeof className === 'string' ? ownControllerOf(className, this.#classes) : undefined;
  }

  gateway(namespace: string, name: string): StandardGateway | undefined {
    return this.object(standardGatewayKind, namespace, name) as StandardGateway | undefined;
  }

  /** The version of a Gateway or a route that is compiled. */
  object(kind: string, namespace: string, name: string): MeshObject<string> | undefined {
    return this.#objects.get(`${kind}/${namespace}/${name}`);
  }

  /** The listener of a Gateway with a name; undefined: it is not served. */
  listener(gateway: StandardGateway | undefined, name: string): Outcome['listeners'][number] | undefined {
    return this.outcome.listeners.find((it) => it.gateway === gateway && it.listener.name === name);
  }

  /** The routes that a listener serves; none where nobody serves it. */
  routesAt(listener: Outcome['listeners'][number] | undefined): ReadonlySet<MeshObject<string>> {
    return (listener && this.#attached.get(listener)) ?? new Set();
  }

  /** The proxies that serve a Gateway. */
  proxiesOf(gateway: StandardGateway): readonly Workload[] {
    return gatewayProxies(gateway, this.#compiled);
  }

  /** Whether a proxy keeps what it had, as an invalid object may concern it. */
  isFrozen({ namespace, name }: Workload): boolean {
    return this.#frozen.has(`${namespace}/${name}`);
  }

  /** The Secret that a listener of a workload's namespace names, in force. */
  secret(namespace: string, name: string): CompiledStandard['topology']['secrets'][number] | undefined {
    return this.#compiled.topology.secrets.find((it) => it.namespace === namespace && it.name === name);
  }
}
