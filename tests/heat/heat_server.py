#!/usr/bin/env python3
"""Run the real heat-engine and Heat REST API in one process, on loopback.

    heat_server.py [--port 8004] [--db FILE] [--delay TYPE=SECONDS]...
                   [--default-delay S] [--trace FILE] [--no-convergence]
                   [--missing FILE]

Messages go through oslo.messaging's in-process fake driver, the database is
SQLite, and sim_cloud.py simulates the cloud. Every user is an authorised
member of the project in the URL. Prints "ready PORT" once it accepts requests.
Stops on SIGTERM and, with --until-eof, at the end of standard input.
"""
import argparse
import ast
import faulthandler
import os
import signal
import socket
import socketserver
import sys
import tempfile
import threading
from wsgiref import simple_server

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import heat_oracle as oracle  # noqa: E402
import sim_cloud  # noqa: E402
from heat.common import messaging  # noqa: E402
from oslo_config import cfg  # noqa: E402

PASTE = """
[composite:heat-api]
use = egg:Paste#urlmap
/: api
[pipeline:api]
pipeline = faultwrap anyone context versionnegotiation apiv1app
[app:apiv1app]
paste.app_factory = heat.common.wsgi:app_factory
heat.app_factory = heat.api.openstack.v1:API
[filter:versionnegotiation]
paste.filter_factory = heat.common.wsgi:filter_factory
heat.filter_factory = heat.api.openstack:version_negotiation_filter
[filter:faultwrap]
paste.filter_factory = heat.common.wsgi:filter_factory
heat.filter_factory = heat.api.openstack:faultwrap_filter
[filter:context]
paste.filter_factory = heat.common.context:ContextMiddleware_filter_factory
[filter:anyone]
paste.filter_factory = sim_cloud:anyone_filter_factory
"""


class _Server(socketserver.ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 64


class _Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *_args):
        pass


def parse_one_at_a_time():
    """Let only one thread at a time call ast.parse().

    CPython 3.11 has a single counter of the depth of syntax trees for all
    threads, so concurrent calls of ast.literal_eval() (in Heat's sync points)
    can fail."""
    real, lock = ast.parse, threading.Lock()

    def parse(*args, **kwargs):
        with lock:
            return real(*args, **kwargs)

    ast.parse = parse


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--port", type=int, default=8004,
                   help="0: any free port")
    p.add_argument("--db", help="SQLite file (default: a temporary one)")
    p.add_argument("--delay", action="append", default=[],
                   metavar="TYPE=SECONDS")
    p.add_argument("--default-delay", type=float, default=0.0)
    p.add_argument("--trace",
                   help="file for all simulated API calls, as JSON lines")
    p.add_argument("--missing", metavar="FILE",
                   help="file with the names of resources that a stack check "
                        "does not find; read again for each check")
    p.add_argument("--no-convergence", action="store_true")
    p.add_argument("--no-limits", action="store_true")
    p.add_argument("--log", default="CRITICAL",
                   help="silence Heat's log up to this level")
    p.add_argument("--until-eof", action="store_true")
    args = p.parse_args()
    if not args.port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            args.port = probe.getsockname()[1]
    tmp = tempfile.TemporaryDirectory(
        prefix="heat-server-", ignore_cleanup_errors=True)
    db = args.db or os.path.join(tmp.name, "heat.sqlite")
    delays = {}
    for item in args.delay:
        name, _, seconds = item.rpartition("=")
        delays[name] = float(seconds)
    sim_cloud.MISSING = args.missing
    sim_cloud.setup(delays=delays, default_delay=args.default_delay,
                    trace_file=open(args.trace, "a") if args.trace else None,
                    limits=not args.no_limits, db="sqlite:///" + db,
                    log_level=args.log)
    conf = cfg.CONF
    conf.set_override("convergence_engine", not args.no_convergence)
    conf.set_override("auth_encryption_key", "0" * 32)
    conf.set_override("deferred_auth_method", "password")
    conf.set_override("reauthentication_auth_method", "")
    conf.set_override("host", "localhost")
    conf.set_override("max_stacks_per_tenant", -1)
    if args.no_limits:
        # The engine needs more than a minute to accept a thousand servers.
        from oslo_messaging.rpc import client
        conf.register_opts(client._client_opts)
        conf.set_override("rpc_response_timeout", 7200)
    conf.set_override("heat_metadata_server_url",
                      "http://localhost:%d" % args.port)
    # Otherwise, Heat asks Keystone for the URL that signals a deployment.
    conf.set_override("heat_waitcondition_server_url",
                      "http://localhost:%d/v1/waitcondition" % args.port)
    conf.set_override("url", "http://localhost:%d/v1/%%(tenant_id)s"
                      % args.port, group="clients_heat")
    oracle.create_schema(threads=True)
    parse_one_at_a_time()

    from heat.engine import service as engine
    from heat.rpc import api as rpc_api
    srv = engine.EngineService(conf.host, rpc_api.ENGINE_TOPIC)
    srv.start()

    paste = os.path.join(tmp.name, "api-paste.ini")
    with open(paste, "w") as f:
        f.write(PASTE)
    from heat.common import wsgi
    app = wsgi.paste_deploy_app(paste, "heat-api", conf)
    httpd = simple_server.make_server("127.0.0.1", args.port, app,
                                      server_class=_Server,
                                      handler_class=_Quiet)
    print("ready %d" % httpd.server_port, flush=True)
    done = threading.Event()
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    signal.signal(signal.SIGTERM, lambda *_a: done.set())
    signal.signal(signal.SIGINT, lambda *_a: done.set())
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    if args.until_eof:
        threading.Thread(target=lambda: (sys.stdin.read(), done.set()),
                         daemon=True).start()
    done.wait()
    httpd.shutdown()
    messaging.TRANSPORT = None
    tmp.cleanup()
    os._exit(0)


if __name__ == "__main__":
    main()
