package io.github.distlock.lab.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a request whose {@code Host} is not a host of this service, or whose
 * {@code Origin} is not a page of it. The first stops DNS rebinding, the second requests
 * that a page of another site sends. Programs send no {@code Origin}, and are served. The
 * actuator has no check: Prometheus and health probes call it under any name.
 */
final class CallerFilter extends OncePerRequestFilter {

	private static final String ACTUATOR = "/actuator/";

	private static final int LONGEST_QUOTE = 200;

	private final JsonMapper json = JsonMapper.builder().build();

	private final AllowedHosts allowed;

	CallerFilter(AllowedHosts allowed) {
		this.allowed = allowed;
	}

	@Override
	protected boolean shouldNotFilter(HttpServletRequest request) {
		// As sent and as the container resolves it: "/actuator/../orders" is no actuator.
		String path = request.getServletPath() + ((request.getPathInfo() != null) ? request.getPathInfo() : "");
		return (request.getRequestURI() + "/").startsWith(request.getContextPath() + ACTUATOR)
				&& (path + "/").startsWith(ACTUATOR);
	}

	@Override
	protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
			throws ServletException, IOException {
		Optional<String> problem = problem(request);
		if (problem.isPresent()) {
			refuse(response, problem.get());
		}
		else {
			chain.doFilter(request, response);
		}
	}

	private Optional<String> problem(HttpServletRequest request) {
		String host = request.getHeader(HttpHeaders.HOST);
		Optional<Authority> authority = parse(host).filter(this.allowed::contain);
		if (authority.isEmpty()) {
			return Optional.of(("Host '%s' is not allowed: the request may come from a web page of another site. "
					+ "Use localhost, or add the name of this host to the property sample.allowed-hosts.")
				.formatted(quote(host)));
		}
		String origin = request.getHeader(HttpHeaders.ORIGIN);
		if (origin == null || isOwn(origin, authority.get().port(request.getScheme()))) {
			return Optional.empty();
		}
		return Optional.of(("Origin '%s' is not allowed: only a page of %s://%s may send this request. "
				+ "Open that page, or call the service from a program that sends no Origin. If the page has the same "
				+ "port, add the name of its host to the property sample.allowed-hosts.")
			.formatted(quote(origin), request.getScheme(), host));
	}

	private boolean isOwn(String origin, int port) {
		int colon = origin.indexOf("://");
		String scheme = (colon > 0) ? origin.substring(0, colon) : "";
		return (scheme.equals("http") || scheme.equals("https"))
				&& parse(origin.substring(colon + 3)).filter(this.allowed::contain)
					.filter((authority) -> authority.port(scheme) == port)
					.isPresent();
	}

	private static Optional<Authority> parse(@Nullable String authority) {
		return Optional.ofNullable(authority).flatMap(Authority::parse);
	}

	private static String quote(@Nullable String value) {
		String text = (value != null) ? value : "";
		return (text.length() > LONGEST_QUOTE) ? text.substring(0, LONGEST_QUOTE) + "…" : text;
	}

	private void refuse(HttpServletResponse response, String detail) throws IOException {
		HttpStatus status = HttpStatus.FORBIDDEN;
		response.setStatus(status.value());
		response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
		response.setHeader("X-Content-Type-Options", "nosniff");
		String body = this.json.createObjectNode()
			.put("title", status.getReasonPhrase())
			.put("status", status.value())
			.put("detail", detail)
			.toString();
		response.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
	}

}
