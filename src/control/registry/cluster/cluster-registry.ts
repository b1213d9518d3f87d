import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { Reflector, type ReflectorState } from '../../../kubernetes/reflector.ts';
import type { SourceFile } from '../../../source/document.ts';
import { layoutOf, type Position } from '../position.ts';
import type { Batch, Registry, RegistryFigures } from '../registry.ts';
import { DefinitionJudge } from './definition-judge.ts';
import { folderOf, KindObjects, revisionNumber } from './kind-objects.ts';
import { type FollowedKind, followedKinds, hasOwnStatus, type WrittenStatus } from './kinds.ts';
import { ObjectFacts } from './object-facts.ts';
import { SecretFollower } from './secret-follower.ts';
import { AccountRights } from './secret-rights.ts';

export interface ClusterRegistryOptions {
  readonly api: KubernetesApi;
  /** Empty: the whole cluster. */
  readonly namespaces: readonly string[];
  /** EndpointSlices instead of Endpoints (PILOT_USE_ENDPOINT_SLICE). */
  readonly slices: boolean;
  /** Objects of the Gateway API are read (PILOT_ENABLED_SERVICE_APIS). */
  readonly gatewayApi?: boolean | undefined;
  /** What was in force before this `meshd` ran. */
  readonly known?: readonly SourceFile[];
  readonly onProblem: (text: string) => void;
  /** What the server says of objects whose status is written is kept; absent: none is. */
  readonly writesStatus?: WrittenStatus | undefined;
  /** After so long services are served as far as they are known. */
  readonly servicesMs?: number;
}

interface Followed {
  readonly kind: FollowedKind;
  readonly namespace: string | undefined;
  readonly objects: KindObjects;
  readonly reflector: Reflector;
  /** The last revision of it that was known. */
  read: number;
}

/** Events of one write are told as one. */
const settleMs = 10;

/**
 * Reads the objects of a Kubernetes cluster, each as a file with the fields that are used. It gives nothing before it has all
 * policies. It waits up to a minute for services and endpoints; after that it gives those that it has, and the objects that
 * were active before in place of the others.
 */
export class ClusterRegistry implements Registry {
  readonly folders = [];
  readonly facts: ObjectFacts | undefined;
  readonly rights: AccountRights;
  readonly #options: ClusterRegistryOptions;
  readonly #followed: readonly Followed[];
  readonly #secrets: SecretFollower;
  readonly #ended = new AbortController();
  readonly #changed = new Set<FollowedKind['role']>();
  readonly #layout: string;
  #timer: NodeJS.Timeout | undefined;
  #servicesTimer: NodeJS.Timeout | undefined;
  #isServicesTimeOver = false;
  #isGiven = false;
  #onChange: () => void = () => undefined;

  constructor(options: ClusterRegistryOptions) {
    this.#options = options;
    this.facts = options.writesStatus && new ObjectFacts();
    const { api, onProblem } = options;
    const onChange = (): void => this.#tell('configuration');
    this.#secrets = new SecretFollower({ api, onProblem, onChange });
    this.rights = new AccountRights({ api, onProblem, onChange });
    this.#followed = followedKinds(options).flatMap((kind) =>
      (options.namespaces.length === 0 || kind.isOfMachines || kind.isOfCluster ? [undefined] : options.namespaces).map(
        (namespace) => this.#follow(kind, namespace),
      ),
    );
    this.#layout = layoutOf(this.#followed.map(({ kind: { type }, namespace }) => JSON.stringify([type, namespace])));
  }

  get position(): Position | undefined {
    return this.#isGiven && this.#changed.size === 0 ? this.#positionNow() : undefined;
  }

  /** Figures of each kind; with several namespaces, the worst of them. */
  get figures(): readonly RegistryFigures[] {
    const rows = new Map<string, RegistryFigures>();
    for (const {
      kind: { type },
      objects,
      reflector,
    } of [...this.#followed, ...this.#secrets.followed]) {
      const { hasSynced, heardAt, problem } = reflector.state;
      const key = `${type.group}/${type.kind}`;
      const before = rows.get(key);
      rows.set(key, {
        ...{ kind: type.kind, group: type.group },
        objects: objects.count + (before?.objects ?? 0),
        held: objects.heldCount + (before?.held ?? 0),
        hasSynced: hasSynced && before?.hasSynced !== false,
        heardAt: before === undefined ? heardAt : earlier(before.heardAt, heardAt),
        problem: problem ?? before?.problem,
      });
    }
    return [...rows.values()];
  }

  async follow(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    for (const { reflector } of this.#followed) reflector.start();
    const { servicesMs = 60_000 } = this.#options;
    this.#servicesTimer = setTimeout(() => {
      this.#isServicesTimeOver = true;
      this.#tell('services');
    }, servicesMs);
  }

  close(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#servicesTimer);
    for (const { reflector } of this.#followed) reflector.close();
    this.#secrets.close();
    this.rights.close();
  }

  async look(): Promise<Batch | undefined> {
    if (!this.#isKnown || (this.#isGiven && this.#changed.size === 0)) return undefined;
    this.#secrets.follow(this.#filesOf('Gateway'), this.#filesOf('Pod', 'WorkloadEntry'));
    if (!this.#isGiven && !this.#secrets.isKnown && !this.#isServicesTimeOver) return undefined;
    const roles = new Set(this.#changed);
    this.#changed.clear();
    const isFirst = !this.#isGiven;
    this.#isGiven = true;
    const files = this.#followed.flatMap(({ objects }) => [...objects.files]);
    files.push(...this.#secrets.files);
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return {
      files,
      isUrgent: isFirst || roles.has('policy'),
      isEndpoints: !isFirst && [...roles].every((role) => role === 'endpoints'),
      position: this.#positionNow(),
    };
  }

  accept(): void {
    // What is known of a cluster does not go by itself.
  }

  /** Objects of a kind that stayed although its definition is gone, go; returns how many those were. */
  forget(kind: string): number {
    const followed = this.#followed.filter(({ kind: { type } }) => type.kind === kind);
    return followed.reduce((all, { objects }) => all + objects.forget(), 0);
  }

  #positionNow(): Position {
    for (const followed of this.#followed) {
      const { revision } = followed.reflector.state;
      if (revision !== undefined) followed.read = revisionNumber(revision);
    }
    return {
      layout: this.#layout,
      changed: this.#followed.map(({ objects }) => objects.changedAt),
      read: this.#followed.map(({ read }) => read),
    };
  }

  #filesOf(...kinds: readonly string[]): readonly SourceFile[] {
    return this.#followed.flatMap(({ kind, objects }) => (kinds.includes(kind.type.kind) ? [...objects.files] : []));
  }

  get #isKnown(): boolean {
    const unknown = this.#followed.filter(
      ({ kind, reflector: { state } }) => !state.hasSynced && !(kind.isOfMachines && state.problem !== undefined),
    );
    if (unknown.some(({ kind }) => kind.role === 'policy' || kind.role === 'configuration')) return false;
    return unknown.length === 0 || this.#isServicesTimeOver;
  }

  #follow(kind: FollowedKind, namespace: string | undefined): Followed {
    const { api, known = [], onProblem, writesStatus } = this.#options;
    const { type, role } = kind;
    const folder = folderOf(kind);
    // Of kinds without namespaces, the objects that have their names.
    const own = namespace === undefined ? folder : `${folder}${namespace}${type.isNamespaced ? '/' : ''}`;
    const name = type.group === '' ? type.kind : `${type.kind} of ${type.group}`;
    const deletions = kind.isCustom ? new DefinitionJudge(api, kind, onProblem, this.#ended.signal) : undefined;
    const objects = new KindObjects({
      kind,
      known: known.filter(
        ({ path }) =>
          (namespace === undefined || type.isNamespaced ? path.startsWith(own) : path === own) &&
          isOfOne(path.slice(folder.length), type.isNamespaced),
      ),
      ...(deletions && { deletions }),
      facts: writesStatus && hasOwnStatus(kind, writesStatus) ? this.facts : undefined,
      onChange: () => this.#tell(role),
    });
    let before: ReflectorState | undefined;
    const reflector = new Reflector({
      api,
      type,
      ...(type.isNamespaced ? { namespace } : { name: namespace }),
      isMetadataOnly: kind.isMetadataOnly === true,
      whyUnserved: deletions && (() => deletions.whyUnserved()),
      servedVersion: kind.versions && deletions && (() => deletions.servedVersion()),
      sink: objects,
      onState: (state) => {
        if (state.hasSynced && before?.hasSynced !== true) this.#tell(role);
        if (state.problem !== undefined && before?.problem === undefined) {
          onProblem(`${name} is not followed now: ${state.problem}`);
          // Nobody waits for it any more.
          if (kind.isOfMachines) this.#tell(role);
        }
        before = state;
      },
    });
    return { kind, namespace, objects, reflector, read: 0 };
  }

  #tell(role: FollowedKind['role']): void {
    this.#changed.add(role);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onChange();
    }, settleMs);
  }
}

/** A kind's path has a namespace or none, so that no group can be taken for a namespace. */
function isOfOne(rest: string, isNamespaced: boolean): boolean {
  return rest.split('/').length === (isNamespaced ? 2 : 1);
}

/** Undefined is before all times. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}
