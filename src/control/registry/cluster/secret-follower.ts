import type { KubernetesApi } from '../../../kubernetes/api.ts';
import { Reflector } from '../../../kubernetes/reflector.ts';
import type { SourceFile } from '../../../source/document.ts';
import { KindObjects } from './kind-objects.ts';
import type { FollowedKind } from './kinds.ts';
import { NamedSecrets, type SecretName } from './named-secrets.ts';

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

/** Each is a connection. */
const mostFollowed = 500;

/**
 * The Secrets that Gateways name, and no others: each is listed and watched by its name, so that a Role in its namespace that
 * names it is enough. One that may not be read is told of, and keeps nothing else waiting.
 */
export class SecretFollower {
  readonly #options: SecretFollowerOptions;
  readonly #named = new NamedSecrets();
  readonly #followed = new Map<string, FollowedSecret>();
  #isTooMany = false;

  constructor(options: SecretFollowerOptions) {
    this.#options = options;
  }

  get followed(): readonly FollowedSecret[] {
    return [...this.#followed.values()];
  }

  /** Each Secret that is followed is known, or known not to be readable now. */
  get isKnown(): boolean {
    return this.followed.every(({ reflector: { state } }) => state.hasSynced || state.problem !== undefined);
  }

  /** Follows what these Gateways name for the workloads that they select, and forgets what no one names any more. */
  follow(gateways: readonly SourceFile[], workloads: readonly SourceFile[]): void {
    const all = this.#named.of(gateways, workloads);
    if (all.length > mostFollowed && !this.#isTooMany) {
      const rest = all.length - mostFollowed;
      this.#options.onProblem(`Gateways name ${all.length} Secrets: ${mostFollowed} are followed, ${rest} are not`);
    }
    this.#isTooMany = all.length > mostFollowed;
    const wanted = new Map(all.slice(0, mostFollowed).map((secret) => [`${secret.namespace}/${secret.name}`, secret]));
    for (const [key, { reflector }] of this.#followed) {
      if (wanted.has(key)) continue;
      reflector.close();
      this.#followed.delete(key);
    }
    for (const [key, secret] of wanted) if (!this.#followed.has(key)) this.#followed.set(key, this.#start(secret));
  }

  close(): void {
    for (const { reflector } of this.#followed.values()) reflector.close();
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
