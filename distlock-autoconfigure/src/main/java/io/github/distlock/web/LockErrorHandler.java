package io.github.distlock.web;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;

import static org.springframework.http.HttpHeaders.RETRY_AFTER;

/**
 * Answers in reactive applications.
 *
 * @param codecs write the body
 */
public record LockErrorHandler(ServerCodecConfigurer codecs) implements WebExceptionHandler, ServerResponse.Context {

	@Override
	public Mono<Void> handle(ServerWebExchange exchange, Throwable ex) {
		Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
		ErrorResponse answer = exchange.getResponse().isCommitted() ? null : LockProblem.answer(ex, handler);
		if (answer == null) {
			return Mono.error(ex);
		}
		if (LockProblem.asksForHtml(exchange.getRequest().getHeaders())) {
			exchange.getResponse().getHeaders().addAll(RETRY_AFTER, answer.getHeaders().getOrEmpty(RETRY_AFTER));
			return Mono.error(new ResponseStatusException(answer.getStatusCode(), answer.getBody().getDetail(), ex));
		}
		return ServerResponse.from(answer).flatMap((response) -> response.writeTo(exchange, this));
	}

	@Override
	public List<HttpMessageWriter<?>> messageWriters() {
		return this.codecs.getWriters();
	}

	@Override
	public List<ViewResolver> viewResolvers() {
		return List.of();
	}

}
