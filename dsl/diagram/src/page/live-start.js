// Starts the live view. Meanwhile the diagram is laid out; it is then fitted into the space that is left.

liveLegend.start();
liveInfrastructure.start();
liveNow.start();
liveLog.start();
liveData.start();
liveTimeline.start();
wattle.showTab('live-now');
live.connect();
