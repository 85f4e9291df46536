package io.github.distlock.web;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.github.distlock.LockBackendException;
import io.github.distlock.LockException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.ErrorResponse;
import org.springframework.web.method.HandlerMethod;

import static org.springframework.http.HttpHeaders.RETRY_AFTER;

/**
 * The answer to an HTTP client whose lock was not acquired: a status and the name of the
 * lock, and nothing that the message of the exception says.
 */
final class LockProblem {

	static final Log logger = LogFactory.getLog(LockProblem.class);

	private LockProblem() {
	}

	/**
	 * Return the answer.
	 * @param failure what the handler threw
	 * @param handler the handler of the request, {@code null} if a filter failed before
	 * @return the answer, {@code null} if another handler of exceptions has to give it
	 */
	static @Nullable ErrorResponse answer(Throwable failure, @Nullable Object handler) {
		// Operations of the actuator, those of applications included, answer in their own
		// way.
		boolean answered = handler != null && !(handler instanceof HandlerMethod method
				&& method.getBeanType().getName().startsWith("org.springframework.boot."));
		Throwable cause = failure;
		while ((cause instanceof CompletionException || cause instanceof ExecutionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (answered && cause instanceof LockNotAcquiredException problem) {
			logger.debug("A request is refused", failure);
			Duration retryAfter = problem.retryAfter();
			long seconds = (retryAfter != null) ? Math.max(1, retryAfter.plusMillis(999).toSeconds()) : 1;
			return (retryAfter != null || problem.reason() == LockOutcome.TOO_MANY_WAITING)
					? answer(problem, HttpStatus.TOO_MANY_REQUESTS, " is in use")
						.header(RETRY_AFTER, Long.toString(seconds))
						.build()
					: answer(problem, HttpStatus.CONFLICT, " is in use").build();
		}
		if (answered && cause instanceof LockBackendException problem) {
			// The container would have logged it.
			logger.warn("A request is answered with HTTP status 503", failure);
			return answer(problem, HttpStatus.SERVICE_UNAVAILABLE, " is not available").build();
		}
		return null;
	}

	private static ErrorResponse.Builder answer(LockException problem, HttpStatus status, String state) {
		return ErrorResponse
			.builder(problem, status, Objects.requireNonNullElse(problem.lockName(), "The lock") + state)
			.header(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_PROBLEM_JSON_VALUE);
	}

	/**
	 * Return whether the client of a request names HTML and no JSON. As in Spring Boot's
	 * error handling, the wildcards that a browser adds do not count.
	 */
	static boolean asksForHtml(HttpHeaders request) {
		List<MediaType> accepted = request.getAccept();
		return accepted.stream().anyMatch(MediaType.TEXT_HTML::equalsTypeAndSubtype)
				&& accepted.stream().noneMatch((type) -> type.getSubtype().endsWith("json"));
	}

}
