/** An AuthorizationPolicy with this text for its spec. */
export const policy = (spec: string): string =>
  `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: cart, namespace: shop}\nspec:\n${spec}`;
/** One with a method in lower case, which lint warns of and can fix. */
export const lowerCase = policy('  rules:\n    - to:\n        - operation:\n            methods: [get]\n');
/** The same without fault. */
export const sound = policy('  rules:\n    - to:\n        - operation:\n            methods: [GET]\n');
