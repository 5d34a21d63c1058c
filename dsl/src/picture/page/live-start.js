// Begins to show what runs, once the picture is there.

wattle.ready.then(() => {
  liveNow.start();
  liveLog.start();
  liveData.start();
  liveTimeline.start();
  wattle.showTab('live-now');
  live.connect();
});
