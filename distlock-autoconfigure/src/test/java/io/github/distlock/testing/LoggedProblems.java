package io.github.distlock.testing;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import org.slf4j.LoggerFactory;

/**
 * Warnings, errors and exceptions that are logged by this thread, and by threads that
 * begin later. The threads of earlier tests in this JVM may log at any time.
 */
public final class LoggedProblems extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger root = ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Logger.ROOT_LOGGER_NAME);

	private final Set<Thread> others = Thread.getAllStackTraces().keySet();

	private final List<String> lines = new CopyOnWriteArrayList<>();

	/** Observe what is logged until this is closed. */
	public LoggedProblems() {
		this.others.remove(Thread.currentThread());
		setContext(this.root.getLoggerContext());
		start();
		this.root.addAppender(this);
	}

	@Override
	protected void append(ILoggingEvent event) {
		IThrowableProxy failure = event.getThrowableProxy();
		if (!this.others.contains(Thread.currentThread())
				&& (event.getLevel().isGreaterOrEqual(Level.WARN) || failure != null)) {
			this.lines.add("[" + event.getThreadName() + "] " + event.getLevel() + " " + event.getLoggerName() + " "
					+ event.getFormattedMessage() + ((failure != null) ? " " + failure.getClassName() : ""));
		}
	}

	/** One line for each. */
	public List<String> lines() {
		return this.lines;
	}

	@Override
	public void close() {
		this.root.detachAppender(this);
		stop();
	}

}
