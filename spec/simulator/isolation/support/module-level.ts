/** State that survives a restart unless modules are loaded anew. */
export const starts = { count: 0 };
