import type { Workload } from '../../compiler/topology/model.ts';
import { type KnownNames, namesByNamespace } from '../../lib/known-names.ts';
import { whyIdle } from '../authorization/idle-value.ts';
import { sourceValues } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** A service account that no workload of its namespace has, while one has almost the same, or one of a namespace has it
 * whose name only says more. */
export const rule: Rule = {
  code: 'unknown-service-account',
  id: 'MP312',
  peers: ['KIA0106'],
  severity: 'warning',
  category: 'authorization',
  direction: 'narrows',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a principal whose service account no workload has: a misspelt one, or the name of a workload',
  why: 'no client has that identity: in "principals" it matches nobody, and in "notPrincipals" it exempts nobody',
  hint: 'write the service account of a workload',
  check({ snapshot, report, skip }) {
    const accounts = namesByNamespace(
      snapshot.topology.workloads.map(({ namespace, serviceAccount }) => ({ namespace, name: serviceAccount })),
    );
    // A workload is often taken for the account that it runs as.
    const accountOf = new Map(
      snapshot.topology.workloads.map((it) => [`${it.namespace}/${it.name}`, it.serviceAccount] as const),
    );
    const namespaces = new NamespacesOfAccounts(snapshot.topology.workloads);
    for (const at of sourceValues(snapshot, 'principals', 'notPrincipals')) {
      const [, namespace = '', account = ''] = /^[^/*]+\/ns\/([^/*]+)\/sa\/([^/*]+)$/.exec(at.value) ?? [];
      const known = accounts.get(namespace);
      if (account === '' || known?.has(account)) continue;
      const own = known?.meantBy(account) ?? accountOf.get(`${namespace}/${account}`) ?? withEnding(account, known);
      const isUnseen = snapshot.topology.unseenIn.has(namespace);
      const other = own || isUnseen ? undefined : namespaces.meantBy(namespace, account, known !== undefined);
      const meant = own ?? other;
      if (meant === undefined) {
        skip(at.policy);
        continue;
      }
      const message = `"${at.value}" names the service account "${account}", which no workload of "${namespace}" has`;
      const hint = other ? `did you mean namespace "${other}"? A workload there has that account` : undefined;
      const why = whyIdle(at.policy, at.field === 'notPrincipals', 'no client has that identity');
      report({ object: at.policy, path: at.path, message, why, hint: hint ?? hintOf(meant, account) });
    }
  },
};

/** Whoever lets in the account that every namespace has lets in all pods without one of their own. */
function hintOf(meant: string, account: string): string {
  if (meant !== 'default') return `did you mean "${meant}"?`;
  return `the workload "${account}" has the account "default": give it one of its own (serviceAccountName)`;
}

/** Words that say what an account is, and that people leave out or add. */
const endings: readonly string[] = ['service', 'svc', 'sa', 'account', 'service-account', 'serviceaccount'];

/** The known account that an unknown one is with such a word more or less: `checkoutservice` for `checkout`. */
function withEnding(account: string, known: KnownNames | undefined): string | undefined {
  const ends = endings.flatMap((word) => [word, `-${word}`]);
  const shorter = ends.flatMap((end) => (account.endsWith(end) ? [account.slice(0, -end.length)] : []));
  return [...ends.map((end) => account + end), ...shorter].find((name) => known?.has(name));
}

/** Where accounts are, those left out that every namespace has. */
class NamespacesOfAccounts {
  readonly #byAccount = new Map<string, Set<string>>();

  constructor(workloads: readonly Workload[]) {
    for (const { namespace, serviceAccount } of workloads) {
      if (serviceAccount === 'default') continue;
      const namespaces = this.#byAccount.get(serviceAccount) ?? new Set();
      this.#byAccount.set(serviceAccount, namespaces.add(namespace));
    }
  }

  /**
   * The only namespace of the account, where its name is that of the written one with a word more or less at an end, or where
   * the written one has workloads, and none of them that account.
   */
  meantBy(namespace: string, account: string, isKnown: boolean): string | undefined {
    const [other, ...others] = this.#byAccount.get(account) ?? [];
    if (other === undefined || others.length > 0) return undefined;
    if (isKnown) return areStages(namespace, other) ? undefined : other;
    const [short = '', long = ''] = [namespace, other].sort((a, b) => a.length - b.length);
    if (!long.startsWith(`${short}-`) && !long.endsWith(`-${short}`)) return undefined;
    return stages.test(long.replace(short, '')) ? undefined : other;
  }
}

/** Whether the names differ in the word of a stage: what is in the one may come to the other later. */
function areStages(one: string, other: string): boolean {
  const [words, others] = [one.split('-'), other.split('-')];
  const different = [...words.filter((word) => !others.includes(word)), ...others.filter((it) => !words.includes(it))];
  return different.some((word) => word.length > 1 && stages.test(word));
}

/**
 * Endings that tell two accounts apart on purpose: `shop` and `shop-prod` are stages of one application, `team` and
 * `team-b` two teams.
 */
const stages =
  /^-?(prod|production|prd|live|stag(e|ing)|stg|pre-?prod|dev|development|int|test(ing)?|qa|uat|preview|sandbox|canary|blue|green|[a-z]|\w*\d)-?$/;
