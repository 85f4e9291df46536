package io.github.distlock.web;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.function.ServerResponse;

import static org.springframework.http.HttpHeaders.RETRY_AFTER;

/**
 * Answers in servlet applications. Without an order it has the lowest precedence, so that
 * each handler of the application is asked before.
 *
 * @param context the converters, which write the body
 */
public record LockExceptionResolver(ServerResponse.Context context) implements HandlerExceptionResolver {

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception ex) {
		ErrorResponse answer = response.isCommitted() ? null : LockProblem.answer(ex, handler);
		if (answer == null) {
			return null;
		}
		try {
			if (LockProblem.asksForHtml(new ServletServerHttpRequest(request).getHeaders())) {
				response.setHeader(RETRY_AFTER, answer.getHeaders().getFirst(RETRY_AFTER));
				// With a message: an error page would otherwise show that of the
				// exception.
				response.sendError(answer.getStatusCode().value(), answer.getBody().getDetail());
			}
			else {
				ServerResponse.from(answer).writeTo(request, response, this.context);
			}
			return new ModelAndView();
		}
		catch (IOException | ServletException failure) {
			LockProblem.logger.warn("HTTP status " + answer.getStatusCode() + " could not be written", failure);
			return null;
		}
	}

}
