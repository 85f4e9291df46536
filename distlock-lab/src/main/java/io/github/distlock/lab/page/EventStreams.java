package io.github.distlock.lab.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends events to the open pages. Each page has a thread and a position in the
 * {@link EventLog}; there is no queue which could grow. A page that does not read is
 * closed when the write timeout of the web server has passed, and continues where it was
 * when it connects again.
 */
@Component
class EventStreams implements DisposableBean {

	private static final Log logger = LogFactory.getLog(EventStreams.class);

	private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

	private static final int PAGES = 100;

	private static final long HEARTBEAT_MILLIS = 10_000;

	private final EventLog log;

	private final ExecutorService senders = new ThreadPoolExecutor(0, PAGES, 30, TimeUnit.SECONDS,
			new SynchronousQueue<>(), (task) -> {
				Thread thread = new Thread(task, "lab-sender");
				thread.setDaemon(true);
				return thread;
			});

	EventStreams(EventLog log) {
		this.log = log;
	}

	/**
	 * Open a stream.
	 * @param after the position after which the page wants events, or {@code null} for
	 * all
	 * @return the stream
	 * @throws java.util.concurrent.RejectedExecutionException if too many pages are open
	 */
	SseEmitter open(EventLog.@Nullable Position after) {
		SseEmitter emitter = new SseEmitter(0L);
		this.senders.execute(() -> send(emitter, after));
		return emitter;
	}

	private void send(SseEmitter emitter, EventLog.@Nullable Position after) {
		EventLog.Position position = after;
		try {
			emitter.send(SseEmitter.event().reconnectTime(1000).comment("the events of the run"));
			while (true) {
				EventLog.Batch batch = this.log.await(position, HEARTBEAT_MILLIS);
				if (batch.events().isEmpty()) {
					emitter.send(SseEmitter.event().comment("no event"));
				}
				else {
					position = batch.position(batch.events().size() - 1);
					emitter.send(Set.of(new ResponseBodyEmitter.DataWithMediaType(text(batch), TEXT)));
				}
			}
		}
		catch (IOException | IllegalStateException ex) {
			// The page was closed, or does not read. The web server ends the response: it
			// may have done so already.
			logger.debug("A page was closed", ex);
		}
		catch (InterruptedException ex) {
			// The web server has stopped.
			Thread.currentThread().interrupt();
		}
	}

	private static String text(EventLog.Batch batch) {
		StringBuilder text = new StringBuilder();
		for (int index = 0; index < batch.events().size(); index++) {
			text.append("id:")
				.append(batch.position(index))
				.append("\ndata:")
				.append(batch.events().get(index))
				.append("\n\n");
		}
		return text.toString();
	}

	@Override
	public void destroy() {
		this.senders.shutdownNow();
	}

}
