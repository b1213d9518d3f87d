import type { Sandbox } from '../../testbed/sandbox.ts';
import { scratch } from '../../testbed/sandbox.ts';

export type Variant = 'nft' | 'legacy';

/**
 * A folder of the packet filter's plain names that lead to one variant, for the front of PATH, as if it were the system's
 * choice.
 */
export async function chooseVariant(sandbox: Sandbox, variant: Variant): Promise<string> {
  const folder = `${scratch}/${variant}`;
  const names = ['iptables', 'ip6tables'].flatMap((tool) => [tool, `${tool}-save`, `${tool}-restore`]);
  const links = names.map((name) => `ln -sf /usr/sbin/xtables-${variant}-multi ${folder}/${name}`);
  await sandbox.must(['sh', '-ec', [`mkdir -p ${folder}`, ...links].join('\n')]);
  return `${folder}:/usr/sbin:/usr/bin:/sbin:/bin`;
}

/**
 * Shell script that prints everything that redirection may touch in a network namespace, whatever filter holds it. The
 * kernel numbers routing rules downwards as they come: numbers are no state.
 */
export const stateScript = `
export PATH="$PATH:/usr/sbin:/sbin"
for save in iptables-nft-save ip6tables-nft-save iptables-legacy-save ip6tables-legacy-save; do
  echo "$save"; $save 2>/dev/null | sed -e '/^#/d' -e 's/\\[[0-9]*:[0-9]*\\]/[0:0]/'
done
for family in -4 -6; do ip $family rule | sed 's/^32[0-9]*:/-:/'; ip $family route show table all type local dev lo | grep -v 'proto kernel' || :; done
ip -o addr show dev lo | awk '{ print $4 }'
`;

/** Built-in chains without rules, whose tables appear when they are first read, are no state. */
export function withoutEmptyTables(state: string): string {
  return state.replace(/^\*\w+\n(?::[A-Z]+ \w+ \[0:0\]\n)*COMMIT\n/gm, '');
}
