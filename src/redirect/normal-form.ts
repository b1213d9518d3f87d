/** A match or target option with its values, `!` first where it is negated. */
type Words = readonly string[];

const addressOptions = ['-s', '-d', '-i', '-o', '-p'] as const;

/** Ranges that hold every address; `iptables-save` leaves them out. */
const everywhere: ReadonlySet<string> = new Set(['0.0.0.0/0', '::/0']);

/**
 * A rule of ours in the form in which `iptables-save` 1.8 prints it (nft and legacy alike): order of options, match
 * modules spelled out, marks in hexadecimal. What is in this form already comes back unchanged.
 */
export function normalForm(args: readonly string[]): string {
  const head = new Map<string, Words>();
  const matches: string[] = [];
  const target: string[] = [];
  let negation: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i] ?? '';
    if (word === '!') {
      negation = ['!'];
      continue;
    }
    if (word === '-j') {
      target.push(...args.slice(i));
      break;
    }
    if (isAddressOption(word)) {
      const value = args[i + 1] ?? '';
      if (!everywhere.has(value)) head.set(word, [...negation, word, value]);
      i += 1;
    } else if (/^--[ds]port$/.test(word)) {
      const protocol = head.get('-p')?.at(-1) ?? '';
      if (matches.at(-2) !== '-m' || matches.at(-1) !== protocol) matches.push('-m', protocol);
      matches.push(...negation, word);
    } else {
      matches.push(...negation, matches.at(-1) === '--mark' ? hexadecimal(word) : word);
    }
    negation = [];
  }
  const ordered = addressOptions.flatMap((option) => head.get(option) ?? []);
  return [...ordered, ...matches, ...normalTarget(target, args)].join(' ');
}

function isAddressOption(word: string): boolean {
  return (addressOptions as readonly string[]).includes(word);
}

/** The target part, from `-j`; options that the tool spells another way when it prints them. */
function normalTarget(target: Words, args: Words): Words {
  const [jump = '', name = '', option, value = ''] = target;
  switch (`${name} ${option ?? ''}`) {
    case 'MARK --set-mark':
      return [jump, name, '--set-xmark', `${hexadecimal(value)}/0xffffffff`];
    case 'CONNMARK --save-mark':
    case 'CONNMARK --restore-mark':
      return [jump, name, option ?? '', '--nfmask', '0xffffffff', '--ctmask', '0xffffffff'];
    case 'TPROXY --tproxy-mark': {
      const [mark = '', mask = ''] = value.split('/');
      const port = target[target.indexOf('--on-port') + 1] ?? '';
      const anyAddress = args.some((word) => word.includes(':')) ? '::' : '0.0.0.0';
      return [jump, name, '--on-port', port, '--on-ip', anyAddress, '--tproxy-mark', `${hexadecimal(mark)}/${mask}`];
    }
    default:
      return target;
  }
}

function hexadecimal(number: string): string {
  return `0x${Number(number).toString(16)}`;
}
