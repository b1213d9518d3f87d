import { both, type Edge, type Line, text } from './head-edges.ts';

/** Headers whose lines Envoy joins with commas, with semicolons or not at all. */
export const routedHeaders = ['accept', 'authorization', 'cookie', 'te', 'x-forwarded-host', 'x-other'] as const;

/** Each of them with one line or several. */
export function headerValues(): readonly Edge[] {
  const lists = [['a'], ['a', 'b'], ['b', 'a'], ['a', ''], ['', 'a'], ['', ''], ['']];
  return routedHeaders.flatMap((name) =>
    lists.flatMap((list) => {
      const change = { headers: list.map((value): Line => [name, value]) };
      const told = `${name} ${JSON.stringify(list)}`;
      return name === 'te' ? [text(told, change)] : both(told, change);
    }),
  );
}

/** Texts of `referer` that Envoy takes for one, and others, which it removes. */
const referers = (
  'abc /relative //a ftp://a/ android-app://x/ HTTPS://A/ a1+b.c-://a/ 1a://a/ -a://a https://a https://a?b https://- https://. ' +
  'https://u@a/ https://@a https://u:p@a https://a@b@c https://a/@ https://a/#f https://a/# https://a#f https://a?b#c # ?# ? * ' +
  'about:blank data:,x https:/a https:a https:// https:///x https://a:65535 https://a:65536 https://a:00080 https://a:/ ' +
  'https://a:1:2 https://[::1]/ https://[::1]:80 https://[::1 https://[1] https://[] https://[::g]/ https://[1.2.3.4] ' +
  'https://[::ffff:1.2.3.4] https://[::ffff:01.2.3.4] https://[::1]a https://a_b https://a%20b https://a!b https://a,b ' +
  'https://a/" https://a/[ https://a/{} https://a/\\ https://a/^ https://a/<> /" /[ /{} /| a:b a/b:c /a:b a?b:c a?b/c:d ' +
  'https://a//b?c?d:e /\xe9 https://a/\xe9 %zz'
)
  .split(' ')
  .concat('', 'a b', 'https://a/b c', 'https://a/\t');

/** One line of `referer` with each of these texts, and two lines; over HTTP/2 blanks around a value stay. */
export function refererValues(): readonly Edge[] {
  const lists = [['/a', 'b'], ['/a', 'https://b/'], ['a', 'https://b/'], [' a'], ['a ']];
  const told = (list: readonly string[]) => `referer ${JSON.stringify(list)}`;
  const change = (list: readonly string[]) => ({ headers: list.map((value): Line => ['referer', value]) });
  return [
    ...referers.map((one) => text(told([one]), change([one]))),
    ...lists.flatMap((list) => both(told(list), change(list))),
  ];
}
