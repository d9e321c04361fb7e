"""Many scans: poses, one merged model, and the work shared between machines."""
