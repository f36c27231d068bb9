"""Ten thousand traffic fines of an Italian town (bupaverse/eventdataR, MIT)."""
