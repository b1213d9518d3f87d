/**
 * The types that `names` reach, as a protobufjs Root in JSON form. Options of the root: the version of Envoy, and
 * `any_types`, the names themselves: what may stand in an `@type`.
 */
export function buildSchema(files, names, version) {
  const index = indexTypes(files);
  const kept = reach(index, names);
  const root = { options: { envoy_version: version, any_types: [...names].sort() }, nested: {} };
  for (const name of [...kept].sort()) {
    const { kind, descriptor } = index.get(name);
    const parts = name.split('.');
    const parent = parts.slice(0, -1).reduce(namespace, root);
    const body = kind === 'enum' ? enumJson(descriptor) : messageJson(descriptor);
    parent.nested[parts.at(-1)] = { ...body, ...parent.nested[parts.at(-1)] };
  }
  return root;
}

/** One line a type, so that a new version of Envoy shows as a readable difference. */
export function formatSchema(node, indent = '') {
  const { nested, ...own } = node;
  const body = Object.keys(own).length > 0 ? JSON.stringify(own) : undefined;
  if (nested === undefined) return body ?? '{}';
  const lines = Object.keys(nested)
    .sort()
    .map((name) => `${indent} ${JSON.stringify(name)}:${formatSchema(nested[name], `${indent} `)}`);
  const head = body === undefined ? '{' : `${body.slice(0, -1)},`;
  return `${head}"nested":{\n${lines.join(',\n')}\n${indent}}}`;
}

function namespace(node, part) {
  node.nested ??= {};
  node.nested[part] ??= {};
  node.nested[part].nested ??= {};
  return node.nested[part];
}

function indexTypes(files) {
  const index = new Map();
  const addMessage = (prefix, descriptor, file) => {
    const name = `${prefix}.${descriptor.name}`;
    index.set(name, { kind: 'message', descriptor, file });
    for (const nested of descriptor.nestedType ?? []) addMessage(name, nested, file);
    for (const nested of descriptor.enumType ?? [])
      index.set(`${name}.${nested.name}`, { kind: 'enum', descriptor: nested });
  };
  for (const file of files) {
    if (file.package === undefined || /(^|\.)v2(alpha)?(\.|$)|^envoy\.api\./.test(file.package)) continue;
    for (const message of file.messageType ?? []) addMessage(file.package, message, file);
    for (const type of file.enumType ?? [])
      index.set(`${file.package}.${type.name}`, { kind: 'enum', descriptor: type });
  }
  return index;
}

function reach(index, names) {
  const kept = new Set();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (kept.has(name)) continue;
    const entry = index.get(name);
    if (entry === undefined) throw new Error(`no descriptor of ${name}`);
    kept.add(name);
    if (entry.kind === 'enum') continue;
    if (entry.file.syntax !== 'proto3') throw new Error(`${name} is not proto3`);
    // A parent that stood here without its fields would read as an empty message.
    const parent = name.slice(0, name.lastIndexOf('.'));
    if (index.has(parent)) queue.push(parent);
    queue.push(...references(entry.descriptor));
  }
  return kept;
}

function references(descriptor) {
  const entries = mapEntries(descriptor);
  const names = [];
  for (const field of descriptor.field ?? []) {
    const entry = entries.get(field.typeName);
    const target = entry === undefined ? field : entry.field.find(({ number }) => number === 2);
    if (target.typeName !== undefined) names.push(target.typeName.slice(1));
  }
  return names;
}

/** Map fields are repeated messages of a private entry type; keyed by the suffix-free full name used in `typeName`. */
function mapEntries(descriptor) {
  const entries = new Map();
  for (const field of descriptor.field ?? []) {
    const local = field.typeName?.slice(field.typeName.lastIndexOf('.') + 1);
    const entry = descriptor.nestedType?.find(({ name, options }) => name === local && options?.mapEntry);
    if (entry !== undefined) entries.set(field.typeName, entry);
  }
  return entries;
}

function messageJson(descriptor) {
  const fields = {};
  const oneofs = {};
  const entries = mapEntries(descriptor);
  for (const field of [...(descriptor.field ?? [])].sort((a, b) => a.number - b.number)) {
    fields[field.name] = fieldJson(field, entries.get(field.typeName));
    if (field.oneofIndex === undefined) continue;
    const declaration = descriptor.oneofDecl[field.oneofIndex];
    oneofs[declaration.name] ??= { oneof: [], ...withOptions(declaration.options) };
    oneofs[declaration.name].oneof.push(field.name);
  }
  return {
    ...(Object.keys(oneofs).length > 0 && { oneofs }),
    fields,
    ...withOptions(descriptor.options),
  };
}

function fieldJson(field, entry) {
  const optional = field.proto3Optional ? { proto3_optional: true } : {};
  const common = { id: field.number, ...withOptions({ ...field.options, ...optional }) };
  if (entry !== undefined) {
    const [key, value] = [1, 2].map((number) => entry.field.find((part) => part.number === number));
    return { keyType: typeName(key), type: typeName(value), ...common };
  }
  const rule = field.label === 'LABEL_REPEATED' ? { rule: 'repeated' } : {};
  return { ...rule, type: typeName(field), ...common };
}

function enumJson(descriptor) {
  const values = {};
  const valuesOptions = {};
  for (const { name, number = 0, options } of descriptor.value) {
    values[name] = number;
    const kept = withOptions(options).options;
    if (kept !== undefined) valuesOptions[name] = kept;
  }
  return { ...(Object.keys(valuesOptions).length > 0 && { valuesOptions }), values };
}

function typeName(field) {
  return field.typeName ?? field.type.slice('TYPE_'.length).toLowerCase();
}

const keptOptions = new Set([
  'deprecated',
  'proto3_optional',
  '.validate.rules',
  '.validate.required',
  '.validate.disabled',
  '.validate.ignored',
  '.envoy.annotations.disallowed_by_default',
  '.envoy.annotations.deprecated_at_minor_version',
  '.envoy.annotations.disallowed_by_default_enum',
  '.envoy.annotations.deprecated_at_minor_version_enum',
  '.udpa.annotations.sensitive',
]);

/** protobufjs writes the name of an extension option in parentheses: `(validate.rules)`. */
function withOptions(options) {
  const kept = {};
  for (const key of Object.keys(options ?? {}).sort()) {
    const value = options[key];
    if (!keptOptions.has(key) || value === false) continue;
    kept[key.startsWith('.') ? `(${key.slice(1)})` : key] = value;
  }
  return Object.keys(kept).length > 0 ? { options: kept } : {};
}
