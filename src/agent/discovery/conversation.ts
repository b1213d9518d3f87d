import { type ConfigurationList, configurationTypes } from '../../xds/aggregated-service.ts';
import type { DeltaAsk } from '../../xds/client-codec.ts';
import type { DeltaResponse, DiscoveryNode } from '../../xds/message.ts';
import { positionName } from '../../xds/position.ts';
import type { ResourceView } from '../../xds/resource-view.ts';
import { secretTypeUrl } from '../../xds/secret-service.ts';
import { setType } from '../../xds/whole-sets.ts';
import { configurationLists } from './configuration.ts';
import type { FetchedSecrets } from './fetched-secrets.ts';

/**
 * A name that no resource has. When the control plane reports it as absent, it has answered everything that was requested
 * before.
 */
export const syncName = 'agent:sync';

export interface ConversationOptions {
  /** What this client has of a type. */
  readonly view: (list: ConfigurationList) => ResourceView;
  /** Names that Envoy follows; those that this client has are added. */
  readonly wanted: Readonly<Record<'endpoints' | 'routes', Set<string>>>;
  /** Asked for at the begin of each stream, before the word that all before is answered. */
  readonly secrets: Pick<FetchedSecrets, 'begin'>;
  readonly send: (ask: DeltaAsk) => void;
}

const { typeUrl: endpointType } = configurationTypes.endpoints;
const followed = ['routes', 'endpoints'] as const;

/**
 * Requests of this client on one stream. It begins with digests of its sets of resources. Of a set that the control plane has
 * in the same version it sends nothing more; of another set it sends all names with their versions.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  /** Meant for the stream, while it is not known yet which sets are the control plane's. */
  #deferred: DeltaAsk[] | undefined;
  /** Wanted at the begin, and not had. */
  #lacking: Readonly<Record<'endpoints' | 'routes', readonly string[]>> = { endpoints: [], routes: [] };

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  /** Whether the comparison of digests is over, or none was begun. */
  get isCompared(): boolean {
    return this.#deferred === undefined;
  }

  /** `tellsDigests`: send digests, and the position if there is one, because the control plane can compare them. */
  begin(node: DiscoveryNode, tellsDigests: boolean, position?: string): void {
    const views = configurationLists.map(
      (list) => [configurationTypes[list].typeUrl, this.#options.view(list)] as const,
    );
    if (!tellsDigests || views.every(([, { size }]) => size === 0)) {
      this.#tell(['clusters', 'listeners', 'routes'], node);
      this.#tellSecrets();
      this.#tell(['endpoints']);
      return;
    }
    this.#deferred = [];
    for (const list of followed) this.#lacking = { ...this.#lacking, [list]: this.#follow(list) };
    const digests = Object.fromEntries(views.map(([typeUrl, { digest }]) => [typeUrl, digest]));
    const initialVersions = { ...digests, ...(position !== undefined && { [positionName]: position }) };
    this.#options.send({ typeUrl: setType, node, initialVersions });
    this.#tellSecrets();
  }

  /** What Envoy asks for, or wants no more, now. */
  ask(ask: DeltaAsk): void {
    if (this.#deferred === undefined) this.#options.send(ask);
    else this.#deferred.push(ask);
  }

  /** The control plane's word about the digests: `removed` are the types of which it has another set. */
  compared({ nonce, removed }: DeltaResponse): void {
    const deferred = this.#deferred;
    if (deferred === undefined) return;
    this.#deferred = undefined;
    const { send } = this.#options;
    send({ typeUrl: setType, nonce });
    const others = new Set(removed);
    const isOther = (list: ConfigurationList): boolean => others.has(configurationTypes[list].typeUrl);
    for (const list of followed) {
      const subscribe = this.#lacking[list];
      if (!isOther(list) && subscribe.length > 0) send({ typeUrl: configurationTypes[list].typeUrl, subscribe });
    }
    // What was meant for the other ones is said again, as it is now.
    for (const ask of deferred) if (!others.has(ask.typeUrl)) send(ask);
    this.#tell(configurationLists.filter(isOther));
    if (!isOther('endpoints')) this.sync();
  }

  /** Asks for the word that everything before is answered. */
  sync(): void {
    if (this.#deferred === undefined) this.#options.send({ typeUrl: endpointType, subscribe: [syncName] });
  }

  /**
   * Clusters and listeners are asked for whole, and before what they name; with the endpoints comes the word at the
   * end.
   */
  #tell(lists: readonly ConfigurationList[], node?: DiscoveryNode): void {
    const has = (list: ConfigurationList): boolean => lists.includes(list);
    if (has('clusters')) this.#tellOne('clusters', ['*'], node);
    if (has('listeners')) this.#tellOne('listeners', ['*']);
    const { wanted, view } = this.#options;
    if (has('routes') && wanted.routes.size + view('routes').size > 0) this.#tellOne('routes', this.#follow('routes'));
    if (has('endpoints')) this.#tellOne('endpoints', [...this.#follow('endpoints'), syncName]);
  }

  #tellSecrets(): void {
    const subscribe = this.#options.secrets.begin();
    if (subscribe.length > 0) this.#options.send({ typeUrl: secretTypeUrl, subscribe });
  }

  #tellOne(list: ConfigurationList, subscribe: readonly string[], node?: DiscoveryNode): void {
    const versions = this.#options.view(list).all.map(({ name, version }) => [name, version] as const);
    const initialVersions = Object.fromEntries(versions);
    const { typeUrl } = configurationTypes[list];
    this.#options.send({ typeUrl, subscribe, initialVersions, ...(node && { node }) });
  }

  /** What is had is followed, whether Envoy has named it yet or not; gives what is wanted and not had. */
  #follow(list: 'endpoints' | 'routes'): readonly string[] {
    const view = this.#options.view(list);
    const wanted = this.#options.wanted[list];
    const lacking = [...wanted].filter((name) => view.get(name) === undefined);
    for (const { name } of view.all) wanted.add(name);
    return lacking;
  }
}
