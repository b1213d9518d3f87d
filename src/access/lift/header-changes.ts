import type { Message } from './message.ts';

/** A header that is added to a request. */
export interface AddedHeader {
  /** Lower case. */
  readonly name: string;
  /** Undefined: it is put together from what only the proxy knows. */
  readonly value: string | undefined;
  /** Whether such a value may be empty, with which Envoy leaves the header as it was. */
  readonly mayBeEmpty: boolean;
  readonly action: 'append' | 'overwrite' | 'if-absent' | 'if-there';
}

/** Changes of a request's headers before it goes on. */
export interface HeaderChanges {
  readonly removed: readonly string[];
  readonly added: readonly AddedHeader[];
}

/** Of a message with the fields `request_headers_to_add` and `request_headers_to_remove`, or with the second alone. */
export function liftHeaderChanges(message: Message, field?: 'request_headers_to_add'): HeaderChanges {
  return {
    removed: message.texts('request_headers_to_remove').map((name) => name.toLowerCase()),
    added:
      field === undefined
        ? []
        : message.messages(field, 'envoy.config.core.v3.HeaderValueOption').flatMap((option) => liftAdded(option)),
  };
}

const actions: Readonly<Record<string, AddedHeader['action']>> = {
  ADD_IF_ABSENT: 'if-absent',
  OVERWRITE_IF_EXISTS: 'if-there',
  OVERWRITE_IF_EXISTS_OR_ADD: 'overwrite',
};

/** A header with an empty value is left out, unless it is to be kept. */
function liftAdded(option: Message): readonly AddedHeader[] {
  const header = option.message('header', 'envoy.config.core.v3.HeaderValue');
  const text = header.text('value');
  const keepsEmpty = option.flag('keep_empty_value');
  if (text === '' && !keepsEmpty) return [];
  const isPlain = !/%(?!%)/.test(text.replaceAll('%%', ''));
  return [
    {
      name: header.text('key').toLowerCase(),
      value: isPlain ? text.replaceAll('%%', '%') : undefined,
      mayBeEmpty: !isPlain && !keepsEmpty && /^(?:%[^%(]+(?:\([^)]*\))?(?::\d+)?%)*$/.test(text),
      action: actions[option.text('append_action')] ?? 'append',
    },
  ];
}
