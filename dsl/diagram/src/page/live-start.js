// Begins to show what runs. The picture is laid out meanwhile, and then fits into the room that is left.

liveLegend.start();
liveInfrastructure.start();
liveNow.start();
liveLog.start();
liveData.start();
liveTimeline.start();
wattle.showTab('live-now');
live.connect();
