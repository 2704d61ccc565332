/** Values by key, as version 1 stores them. Every later version must read them, so they never change. */
export const golden: Readonly<Record<string, string>> = {
  'workspaces/w/workspace.json': '{"version":1,"workspace_id":"w","default_session_id":"s","created_at":1700000000,"generation":1}\n',
  'workspaces/w/sessions/s.json':
    '{"version":1,"session_id":"s","cwd":"/tmp","env":{"n":"41"},"created_at":1700000000,"generation":3,"var_attrs":{},"umask":"0022"}\n',
  'workspaces/w/history/s/00000001.jsonl':
    '{"type":"segment","version":1,"first":0,"cleared":0,"deleted":[]}\n{"type":"command","id":"a-1","session":"s","agent":null,"timestamp":1700000000000,"cwd":"/","command":"n=41","exit_code":0,"duration_ms":1}\n',
}

/** Bytes of the history that lie in its first row or part; the rest was appended. */
export const FIRST_PART = 67
