import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { Reflector } from '../../../kubernetes/reflector.ts';
import type { SourceFile } from '../../../source/document.ts';
import { folderOf, KindObjects } from './kind-objects.ts';
import type { FollowedKind } from './kinds.ts';
import { type NamedSecret, NamedSecrets } from './named-secrets.ts';
import { textOf } from './projection.ts';
import { keyOf, type SecretName } from './secret-name.ts';
import { shareSecrets, usualBounds } from './secret-shares.ts';

export interface SecretFollowerOptions {
  readonly api: KubernetesApi;
  /** A Secret differs, is there for the first time, or cannot be read. */
  readonly onChange: () => void;
  readonly onProblem: (text: string) => void;
}

/** One Secret, followed by its name alone. */
export interface FollowedSecret {
  readonly kind: FollowedKind;
  readonly objects: KindObjects;
  readonly reflector: Reflector;
}

const secretKind: FollowedKind = {
  type: { group: '', version: 'v1', kind: 'Secret', resource: 'secrets', isNamespaced: true },
  role: 'configuration',
  isCustom: false,
};

/** Of what is left out, so many are told of by name. */
const mostTold = 10;

/**
 * Follows only Secrets that Gateways name. It lists and watches each by its name, so that a Role in its namespace that names
 * it is enough. A Secret that may not be read is reported, and delays nothing else.
 */
export class SecretFollower {
  readonly #options: SecretFollowerOptions;
  readonly #named = new NamedSecrets();
  readonly #followed = new Map<string, FollowedSecret>();
  readonly #empty = new Map<string, SourceFile>();
  #leftOut: ReadonlySet<string> = new Set();

  constructor(options: SecretFollowerOptions) {
    this.#options = options;
  }

  get followed(): readonly FollowedSecret[] {
    return [...this.#followed.values()];
  }

  /** Whether each followed Secret has been read, or can't be read at present. */
  get isKnown(): boolean {
    return this.followed.every(({ reflector: { state } }) => state.hasSynced || state.problem !== undefined);
  }

  /**
   * The Secrets as files. While it is unknown whether a Secret with CAs of clients (`<name>-cacert`) exists, an empty one
   * takes its place, so that clients are never verified with CAs in the Secret `<name>`.
   */
  get files(): readonly SourceFile[] {
    const known = this.followed.flatMap(({ objects }) => [...objects.files]);
    const unknown = [...this.#empty].filter(([key]) => !this.#isSure(this.#followed.get(key)));
    return [...known, ...unknown.map(([, file]) => file)];
  }

  /** Follows what these Gateways name for the workloads that they select, and forgets what no one names any more. */
  follow(gateways: readonly SourceFile[], workloads: readonly SourceFile[]): void {
    const named = this.#withAuthorities(this.#named.of(gateways, workloads));
    const { chosen, leftOut } = shareSecrets(named, new Set(this.#followed.keys()));
    this.#tellLeftOut(leftOut.map(keyOf));
    const wanted = new Map(chosen.map((secret) => [keyOf(secret), secret]));
    for (const [key, { reflector }] of this.#followed) {
      if (wanted.has(key)) continue;
      reflector.close();
      this.#followed.delete(key);
    }
    for (const [key, secret] of wanted) if (!this.#followed.has(key)) this.#followed.set(key, this.#start(secret));
    const authorities = named
      .filter(({ name }) => name.endsWith('-cacert'))
      .map((secret) => [keyOf(secret), secret] as const);
    const isOfFollowed = (key: string): boolean => this.#followed.has(key.slice(0, -'-cacert'.length));
    const empty = new Map(authorities.filter(([key]) => isOfFollowed(key)));
    for (const key of this.#empty.keys()) if (!empty.has(key)) this.#empty.delete(key);
    for (const [key, secret] of empty) if (!this.#empty.has(key)) this.#empty.set(key, emptyFile(secret));
  }

  close(): void {
    for (const { reflector } of this.#followed.values()) reflector.close();
  }

  /**
   * With the authorities that are followed of a Secret that is still named: a Gateway that names them no more may be invalid, and
   * its last valid version in force.
   */
  #withAuthorities(named: readonly NamedSecret[]): readonly NamedSecret[] {
    const keys = new Set(named.map(keyOf));
    const kept = named
      .map((secret) => ({ ...secret, name: `${secret.name}-cacert` }))
      .filter((secret) => this.#followed.has(keyOf(secret)) && !keys.has(keyOf(secret)));
    return [...named, ...kept];
  }

  /** It is there, or a whole list did not have it. */
  #isSure(secret: FollowedSecret | undefined): boolean {
    if (secret === undefined) return false;
    const { hasSynced, isServed } = secret.reflector.state;
    return secret.objects.count > 0 || (hasSynced && isServed);
  }

  #tellLeftOut(keys: readonly string[]): void {
    const isNew = keys.some((key) => !this.#leftOut.has(key));
    this.#leftOut = new Set(keys);
    if (!isNew) return;
    const names = keys.slice(0, mostTold).join(', ');
    const rest = keys.length > mostTold ? ` and ${keys.length - mostTold} more` : '';
    const { all, perNamespace } = usualBounds;
    this.#options.onProblem(
      `${keys.length} Secrets that Gateways name are not followed, since at most ${all} are, and at most ${perNamespace} that the Gateways of one namespace name: ${names}${rest}`,
    );
  }

  #start({ namespace, name }: SecretName): FollowedSecret {
    const { api, onChange, onProblem } = this.#options;
    const objects = new KindObjects({ kind: secretKind, known: [], onChange });
    let told: string | undefined;
    const reflector = new Reflector({
      ...{ api, type: secretKind.type, namespace, name, sink: objects },
      onState: ({ problem }) => {
        if (problem !== undefined && problem !== told)
          onProblem(`the Secret ${namespace}/${name}, which a Gateway names, is not followed now: ${problem}`);
        told = problem;
        onChange();
      },
    });
    reflector.start();
    return { kind: secretKind, objects, reflector };
  }
}

function emptyFile({ namespace, name }: SecretName): SourceFile {
  const text = textOf({ metadata: { namespace, name } }, secretKind.type);
  return { path: `${folderOf(secretKind)}${namespace}/${name}`, text, isSizeChecked: true };
}
